import { expect, test } from 'vitest'
import { jsonView } from './json-view.ts'

const textOf = (text: string) =>
  jsonView(text)
    .markup.replace(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')

test.each([
  [
    'objects and lists are indented',
    '{"a":[1,{"b":null}]}',
    '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}',
  ],
  ['empty ones stay together', '{"a":{},"b":[]}', '{\n  "a": {},\n  "b": []\n}'],
  ['what was cut ends where it was cut', '{"a":"b","c":"d…', '{\n  "a": "b",\n  "c": "d…'],
  ['text in quotation marks is left as it is', '{"a":"x, {y}: \\"z\\""}', '{\n  "a": "x, {y}: \\"z\\""\n}'],
  ['other text stays as it is', '(application/pdf, 12 bytes)', '(application/pdf, 12 bytes)'],
])('%s', (_rule, text, shown) => {
  expect(textOf(text)).toBe(shown)
})

test('keys, text, numbers and words are told apart, and escaped', () => {
  expect(jsonView('{"<k>":"<v>","n":-1.5,"t":true}').markup).toBe(
    '<pre class="body" tabindex="0">{\n  <span class="k">&quot;&lt;k&gt;&quot;</span>: <span class="s">&quot;&lt;v&gt;&quot;</span>,\n' +
      '  <span class="k">&quot;n&quot;</span>: <span class="n">-1.5</span>,\n' +
      '  <span class="k">&quot;t&quot;</span>: <span class="l">true</span>\n}</pre>',
  )
})
