import { describe, expect, test } from 'vitest'
import { withoutSecrets } from './without-secrets.ts'

const hex = '0123456789abcdef'.repeat(3).slice(0, 40)

describe('what opens something is taken out', () => {
  test.each([
    ['an API key', `{"key":"sk_test_${hex}","id":"x"}`, '{"key":"…","id":"x"}'],
    ['one of any form, in any field', '{"note":"use sk_live_NotHexAtAll99"}', '{"note":"use sk_live_…"}'],
    ['a signing secret', `{"signing_secret": "whsec_${hex}"}`, '{"signing_secret": "…"}'],
    ['a value with quotation marks', '{"token":"a\\"b","id":1}', '{"token":"…","id":1}'],
    ['a value that was cut off', `{"signing_secret":"whsec_${hex.slice(0, 9)}`, '{"signing_secret":"…"'],
    [
      'the token of a widget',
      `{"widget_url":"http://x/widget/${hex}"}`,
      '{"widget_url":"http://x/widget/…"}',
    ],
    ['a guessed token', '/widget/guess?x=1', '/widget/…?x=1'],
    ['the token of a session', `/v3/connect-session?token=cs_${hex}&a=1`, '/v3/connect-session?token=…&a=1'],
    ['a session', `/v3/clients/cli_1/connect-sessions/cs_${hex}`, '/v3/clients/cli_1/connect-sessions/…'],
    [
      'a field of a name that ends so',
      '{"client_secret":"a","accessToken":"b"}',
      '{"client_secret":"…","accessToken":"…"}',
    ],
    ['a field spelled with escapes', '{"\\u0073ecret":"a"}', '{"\\u0073ecret":"…"}'],
    ['a number', '{"password":1234}', '{"password":"…"}'],
    ['JSON in JSON', '{"note":"{\\"api_key\\":\\"a\\"}"}', '{"note":"{\\"api_key\\":\\"…\\"}"}'],
    ['an address with escapes', '{"url":"http:\\/\\/x\\/widget\\/guess"}', '{"url":"http://x/widget/…"}'],
    [
      'parameters of an address',
      '/hook?secret=a&api_key=b&access_token=c&id=d#password=e',
      '/hook?secret=…&api_key=…&access_token=…&id=d#password=…',
    ],
    [
      'a percent-encoded name',
      '/hook?%73ecret=a&client%5Btoken%5D=b',
      '/hook?%73ecret=…&client%5Btoken%5D=…',
    ],
    ['an address in a parameter', '/v3/x?u=http%3A%2F%2Fx%3Ftoken%3Da', '/v3/x?u=…'],
    ['user name and password', 'https://me:p@ss@x/hook', 'https://…@x/hook'],
    ['a portal secret', `portal_${hex.slice(0, 32)}`, 'portal_…'],
  ])('%s', (_what, text, shown) => {
    expect(withoutSecrets(text)).toBe(shown)
  })

  test('ids, trace ids and amounts stay', () => {
    const text =
      '{"id":"txn_FDE_ffd7c7bce06fe022","op":"op_6e986fa9a67094289572faa7","whk":"whk_c879a165d7a6f79413633c32",' +
      '"trace_id":"ecc47f66-bca1-4dae-99fb-c96d88d5c0ec","prefix":"sk_test_24af","amount":-12.5,' +
      '"api_key_id":"key_1","code":"invalid_token","url":"https://x/hook?id=1&name=a%20b","name":"a \\"b\\" \\u00e9","n":null}'
    expect(withoutSecrets(text)).toBe(text)
  })
})
