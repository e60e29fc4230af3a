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
    ['a portal secret', `portal_${hex.slice(0, 32)}`, 'portal_…'],
  ])('%s', (_what, text, shown) => {
    expect(withoutSecrets(text)).toBe(shown)
  })

  test('ids, trace ids and amounts stay', () => {
    const text =
      '{"id":"txn_FDE_ffd7c7bce06fe022","op":"op_6e986fa9a67094289572faa7","whk":"whk_c879a165d7a6f79413633c32",' +
      '"trace_id":"ecc47f66-bca1-4dae-99fb-c96d88d5c0ec","prefix":"sk_test_24af","amount":-12.5}'
    expect(withoutSecrets(text)).toBe(text)
  })
})
