import { describe, expect, test, vi } from 'vitest'
import { diagnoseWebhook, type KnownSecret } from './diagnose.ts'
import { hmacHex } from './hmac.ts'
import { signWebhook } from './webhook.ts'

const secret = 'whsec_current'
const now = 1_790_000_000
const timestamp = String(now)
const bytes = (text: string) => new TextEncoder().encode(text)
const event = { event_id: 'evt_1', data: { name: 'Zoë', list: [1, 'a'] } }
const compact = JSON.stringify(event)

/** Signs one body and hands over another. */
async function diagnose(signed: string, received = signed, known: KnownSecret[] = [], key = secret) {
  const signature = await signWebhook({ secret: key, timestamp, body: bytes(signed) })
  return diagnoseWebhook({ secrets: [secret], timestamp, signature, body: bytes(received), now, known })
}

test('what verifies is said to verify', async () => {
  expect(await diagnose(compact)).toMatchObject({ kind: 'verified', verdict: { verified: true } })
})

describe('a body changed on its way', () => {
  test.each([
    ['a\n', 'a', 'final_newline_removed', 'adding a final newline'],
    ['a', 'a\n', 'final_newline_added', 'removing the final newline'],
    ['a', 'a\r\n', 'final_newline_added', 'removing the final newline'],
    ['a', 'a \n ', 'white_space_added', 'removing the white space at the end'],
    ['{\n}\n', '{\r\n}\r\n', 'lf_became_crlf', 'turning CRLF line ends into LF'],
    ['{\r\n}\r\n', '{\n}\n', 'crlf_became_lf', 'turning LF line ends into CRLF'],
    ['{}', '\u{feff}{}', 'byte_order_mark_added', 'removing the byte order mark'],
    [compact, JSON.stringify(event, undefined, 4), 'json_loosened', 're-serialising the JSON compactly'],
    [JSON.stringify(event, undefined, 2), compact, 'json_unindented', 'an indent of two'],
    ['{"a": [1, "b"], "c": {}}', '{"a":[1,"b"],"c":{}}', 'json_compacted', 'a space after each colon'],
    [compact.replace('ë', '\\u00eb'), compact, 'json_unescaped', 'escaping what is not ASCII'],
    ['{"a": "\\u00eb"}', '{"a":"ë"}', 'json_unescaped_and_compacted', 'escaping what is not ASCII'],
  ])('%j received as %j', async (signed, received, change, phrase) => {
    const diagnosis = await diagnose(signed, received)
    expect(diagnosis).toMatchObject({ kind: 'body_changed', change })
    expect(diagnosis.sentence).toContain('The body was changed on its way: it verifies after ')
    expect(diagnosis.sentence).toContain(phrase)
  })
})

describe('another secret', () => {
  const known = [
    { secret, environment: 'sandbox', subscription: 'whk_11' },
    { secret: 'whsec_live', environment: 'live', subscription: 'whk_12' },
    { secret: 'whsec_old', environment: 'sandbox', subscription: 'whk_11', replacedAt: now - 26 * 3600 },
    { secret: 'whsec_recent', environment: 'sandbox', replacedAt: now - 23 * 3600 },
  ]

  test('of another environment is named, and not accepted', async () => {
    expect(await diagnose(compact, compact, known, 'whsec_live')).toEqual({
      kind: 'other_secret',
      environment: 'live',
      subscription: 'whk_12',
      sentence: 'It was signed with the live secret of whk_12, which is not the secret in use here.',
    })
  })

  test('that was replaced more than a day ago is told to be over', async () => {
    const diagnosis = await diagnose(compact, compact, known, 'whsec_old')
    expect(diagnosis).toMatchObject({ kind: 'retired_secret', overSeconds: 7200 })
    expect(diagnosis.sentence).toBe(
      'It was signed with the old sandbox secret of whk_11, and its 24 h overlap is over since 2 h: use the new one.',
    )
  })

  test('that was replaced less than a day ago is told to be valid still', async () => {
    const diagnosis = await diagnose(compact, compact, known, 'whsec_recent')
    expect(diagnosis.sentence).toContain('the old sandbox secret, whose 24 h overlap lasts 60 min more')
  })

  test('is found where no secret is in use', async () => {
    const signature = await signWebhook({ secret: 'whsec_live', timestamp, body: bytes('{}') })
    const delivery = { secrets: [], timestamp, signature, body: bytes('{}'), now }
    expect(await diagnoseWebhook({ ...delivery, known })).toMatchObject({ kind: 'other_secret' })
    expect(await diagnoseWebhook(delivery)).toMatchObject({ kind: 'no_secret' })
  })

  test('that nobody knows is unknown', async () => {
    expect(await diagnose(compact, compact, known, 'whsec_stranger')).toMatchObject({ kind: 'unknown' })
    const decoded = await diagnose('x', '\u{fffd}', known)
    expect(decoded.sentence).toContain('U+FFFD')
  })
})

describe('a signature made in another way', () => {
  const withSignature = (signature: string) =>
    diagnoseWebhook({ secrets: [secret], timestamp, signature, body: bytes(compact), now })

  test('over the body alone, without the timestamp', async () => {
    expect(await withSignature(await hmacHex(secret, bytes(compact)))).toMatchObject({
      kind: 'timestamp_not_signed',
    })
  })

  test('under the secret without its prefix, or with a newline', async () => {
    const payload = bytes(`${timestamp}.${compact}`)
    const bare = await withSignature(await hmacHex('current', payload))
    expect(bare).toMatchObject({ kind: 'secret_form', form: 'without_prefix' })
    const lined = await withSignature(await hmacHex(`${secret}\n`, payload))
    expect(lined).toMatchObject({ kind: 'secret_form', form: 'with_newline' })
  })

  test('under the whole secret, of which only what follows whsec_ is given here', async () => {
    const signature = await signWebhook({ secret, timestamp, body: bytes(compact) })
    const known = [{ secret, environment: 'sandbox', subscription: 'whk_11' }]
    const given = (one: string) =>
      diagnoseWebhook({ secrets: [one], timestamp, signature, body: bytes(compact), now, known })
    const diagnosis = await given('current')
    expect(diagnosis).toMatchObject({ kind: 'secret_form', form: 'given_without_prefix' })
    expect(diagnosis.sentence).toContain('with whsec_ in front of the secret in use here')
    expect(await given('other')).toMatchObject({ kind: 'other_secret' })
  })

  test('written with a scheme, in base64, or cut', async () => {
    const hex = await signWebhook({ secret, timestamp, body: bytes(compact) })
    const digest = Buffer.from(hex, 'hex')
    const base64 = digest.toString('base64')
    const forms = {
      prefixed: [`sha256=${hex}`, `HMAC-SHA256:${hex}`, `v1,${hex}`, `v12=${hex}`, ` sha256=${hex} `],
      base64: [base64, base64.slice(0, -1), `sha256=${base64}`, digest.toString('base64url')],
      not_hex_sha256: [
        '',
        '!',
        hex.slice(2),
        `${hex}00`,
        `00${hex}`,
        `${hex.slice(0, 9)}v1=${hex.slice(9)}`,
        `vx=${hex}`,
      ],
    }
    for (const [form, signatures] of Object.entries(forms)) {
      for (const signature of signatures) {
        expect(await withSignature(signature), signature).toMatchObject({ kind: 'signature_form', form })
      }
    }
    for (const spoiled of [`!${base64}`, `${base64}!`]) {
      expect(await withSignature(spoiled)).toMatchObject({ form: 'not_hex_sha256' })
    }
  })

  test('in base64 for addresses, whose two other characters are - and _', async () => {
    for (let number = 0; ; number++) {
      const body = bytes(String(number))
      const digest = Buffer.from(await signWebhook({ secret, timestamp, body }), 'hex')
      const signature = digest.toString('base64url')
      if (!/-.*_|_.*-/.test(signature)) continue
      const diagnosis = await diagnoseWebhook({ secrets: [secret], timestamp, signature, body, now })
      expect(diagnosis).toMatchObject({ kind: 'signature_form', form: 'base64' })
      return
    }
  })

  test('is no matter of form where one of the two signatures has the right form', async () => {
    const signaturePrev = await hmacHex('whsec_stranger', bytes('x'))
    const delivery = { secrets: [secret], timestamp, body: bytes(compact), now }
    expect(await diagnoseWebhook({ ...delivery, signature: 'cut', signaturePrev })).toMatchObject({
      kind: 'unknown',
    })
  })
})

test('a secret that is nothing but its prefix, or has it elsewhere, explains nothing', async () => {
  const payload = bytes(`${timestamp}.${compact}`)
  for (const other of ['whsec_', 'my_whsec_key']) {
    const signature = await hmacHex('my_key', payload)
    const delivery = { secrets: [other], timestamp, signature, body: bytes(compact), now }
    expect(await diagnoseWebhook(delivery)).toMatchObject({ kind: 'unknown' })
  }
})

test.each([
  [[0xef, 0xbf, 0xbd], true],
  [[0xef, 0xef, 0xbf, 0xbd, 0x20], true],
  [[0xef, 0xbb, 0xbf, 0xef, 0xbf, 0xbd], true],
  [[0xef, 0xbb, 0xbd], false],
  [[0xef, 0xbf, 0xbe], false],
  [[0x61], false],
])('of a body %j it is told whether U+FFFD stands in it: %s', async (body, bodyWasDecoded) => {
  const delivery = { secrets: [secret], timestamp, signature: '0'.repeat(64), now }
  const diagnosis = await diagnoseWebhook({ ...delivery, body: Uint8Array.from(body) })
  expect(diagnosis).toMatchObject({ kind: 'unknown', bodyWasDecoded })
})

test('a timestamp too old is told with its age', async () => {
  const signature = await signWebhook({ secret, timestamp, body: bytes('{}') })
  const delivery = { secrets: [secret], timestamp, signature, body: bytes('{}'), now: now + 11 * 60 }
  const diagnosis = await diagnoseWebhook(delivery)
  expect(diagnosis).toMatchObject({ kind: 'timestamp_too_old', ageSeconds: 660 })
  expect(diagnosis.sentence).toContain('11 min old')
})

test('a missing header is named', async () => {
  const delivery = { secrets: [secret], body: bytes('{}'), now }
  const noSignature = await diagnoseWebhook({ ...delivery, timestamp })
  expect(noSignature).toMatchObject({ kind: 'missing_header', header: 'X-LS-Webhook-Signature' })
  expect(await diagnoseWebhook({ ...delivery, signature: 'x' })).toMatchObject({
    header: 'X-LS-Webhook-Timestamp',
    sentence: expect.stringContaining('a proxy dropped it'),
  })
  expect(await diagnoseWebhook({ ...delivery, timestamp: 'x', signature: 'x' })).toMatchObject({
    kind: 'bad_timestamp',
  })
})

test('a large body of a stranger costs little', async () => {
  const body = new Uint8Array(10 * 1024 * 1024).fill(0x20)
  const known = Array.from({ length: 50 }, (_, at) => ({ secret: `whsec_${at}`, environment: 'live' }))
  const started = performance.now()
  const signature = '0'.repeat(64)
  const diagnosis = await diagnoseWebhook({ secrets: [secret], timestamp, signature, body, now, known })
  expect(diagnosis.kind).toBe('unknown')
  expect(performance.now() - started).toBeLessThan(1500)
})

test('JSON whose indented form would be huge is not written anew', async () => {
  const group = `${'['.repeat(400)}0${',0'.repeat(600)}${']'.repeat(400)},`
  const body = bytes(`[${group.repeat(Math.floor((1024 * 1024 - 4) / group.length))}0]`)
  const stringify = vi.spyOn(JSON, 'stringify')
  const started = performance.now()
  const diagnosis = await diagnoseWebhook({
    secrets: [secret],
    timestamp,
    signature: '0'.repeat(64),
    body,
    now,
  })
  expect(diagnosis.kind).toBe('unknown')
  expect(performance.now() - started).toBeLessThan(1500)
  expect(stringify).not.toHaveBeenCalled()
  stringify.mockRestore()
})

test.each(['['.repeat(500_000), `${'['.repeat(200_000)}${']'.repeat(200_000)}`, '{"a":'.repeat(100_000)])(
  'JSON nested without end does no harm',
  async (text) => {
    const delivery = { secrets: [secret], timestamp, signature: '0'.repeat(64), body: bytes(text), now }
    expect(await diagnoseWebhook(delivery)).toMatchObject({ kind: 'unknown' })
  },
)
