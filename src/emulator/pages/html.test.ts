import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { escapeHtml, html } from './html.ts'

/** What a browser reads back from escaped text. */
function unescaped(markup: string): string {
  return markup
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom(...'<>&"\';#ltgamp') }),
)

describe('escapeHtml', () => {
  it('leaves nothing that could open a tag, an entity or end an attribute', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!(amp|lt|gt|quot|#39);)/)
      }),
    )
  })

  it('loses nothing: the browser shows the text as it was', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(unescaped(escapeHtml(text))).toBe(text)
      }),
    )
  })
})

describe('html', () => {
  it('escapes values, and keeps markup it made itself, alone or in a list', () => {
    const name = '<b title="x">&'
    expect(html`<i>${name}</i>`.markup).toBe('<i>&lt;b title=&quot;x&quot;&gt;&amp;</i>')
    expect(html`<p>${html`<i>${name}</i>`}</p>`.markup).toBe(
      '<p><i>&lt;b title=&quot;x&quot;&gt;&amp;</i></p>',
    )
    expect(html`${[html`<i>1</i>`, html`<i>2</i>`]} ${3}`.markup).toBe('<i>1</i><i>2</i> 3')
  })
})
