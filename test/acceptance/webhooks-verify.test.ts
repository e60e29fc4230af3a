import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHome, type Home } from '../support/cli.ts'
import { withStoredSecrets } from '../support/stored-secrets.ts'

const secret = 'whsec_current'
const now = 1_790_000_000
const body = Buffer.from('{"event_id":"evt_1","name":"Zoë 銀行"}\r\n')

/** Signs with Python, which shares no code with bankapi. */
function signature(signed: Uint8Array = body, key = secret, at = now): string {
  const program =
    'import hmac,hashlib,sys; print(hmac.new(sys.argv[1].encode(), sys.argv[2].encode()+b"."+sys.stdin.buffer.read(), hashlib.sha256).hexdigest())'
  return execFileSync('python3', ['-c', program, key, String(at)], { input: signed })
    .toString()
    .trim()
}

interface Given {
  readonly home?: Home
  readonly received?: Uint8Array
  readonly flags?: readonly string[]
  readonly env?: Record<string, string>
  readonly at?: number
}

async function verify(
  given: string,
  { home = createHome(), received = body, flags = [], env = {}, at = now }: Given = {},
) {
  const { code, stdout, stderr } = await home.run(
    [
      'webhooks',
      'verify',
      '--timestamp',
      String(now),
      '--signature',
      given,
      '--now',
      String(at),
      '--json',
      ...flags,
    ],
    { input: received, env: { BANKAPI_WEBHOOK_SECRET: secret, ...env } },
  )
  return { code, stderr, ...(stdout === '' ? {} : (JSON.parse(stdout) as Record<string, unknown>)) }
}

it('a body signed by Python verifies, and one changed byte does not', async () => {
  expect(await verify(signature())).toMatchObject({
    code: 0,
    verified: true,
    age_seconds: 0,
    matched: 'signature',
  })
  const changed = Buffer.from(body.toString().replace('evt_1', 'evt_2'))
  expect(await verify(signature(), { received: changed })).toMatchObject({
    code: 12,
    verified: false,
    finding: 'unknown',
  })
})

it('a secret given without its whsec_ is recognised, and does not verify', async () => {
  const env = { BANKAPI_WEBHOOK_SECRET: secret.replace('whsec_', '') }
  expect(await verify(signature(), { env })).toMatchObject({
    code: 12,
    finding: 'secret_form',
    message: expect.stringContaining('with whsec_ in front of the secret in use here'),
  })
})

it('bytes that are not UTF-8 verify, and so does an empty body', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x0a])
  expect(await verify(signature(bytes), { received: bytes })).toMatchObject({ code: 0 })
  const none = Buffer.alloc(0)
  expect(await verify(signature(none), { received: none })).toMatchObject({ code: 0 })
})

it('during a rotation either signature header counts', async () => {
  const flags = ['--signature-prev', signature()]
  expect(await verify(signature(body, 'whsec_new'), { flags })).toMatchObject({
    code: 0,
    matched: 'signature_prev',
  })
})

it('names the reason of a failure', async () => {
  const sentence = async (given: string, options: Given = {}) => {
    const { code, message } = (await verify(given, options)) as { code: number; message?: string }
    expect(code).toBe(12)
    return message
  }
  const pretty = Buffer.from(JSON.stringify(JSON.parse(body.toString()), undefined, 2))
  const compact = Buffer.from(JSON.stringify(JSON.parse(body.toString())))
  expect(await sentence(signature(body.subarray(0, -2)))).toContain(
    'it verifies after removing the final newline',
  )
  expect(await sentence(signature(compact), { received: pretty })).toContain(
    're-serialising the JSON compactly',
  )
  expect(await sentence(signature(), { at: now + 11 * 60 })).toContain('the timestamp is 11 min old')
  expect(await sentence(signature(body, 'current'))).toContain('without its whsec_ prefix')
  expect(await sentence('')).toContain('not 64 hex digits')
})

it('names a header that is missing', async () => {
  const { code, stdout } = await createHome().run(['webhooks', 'verify', '--signature', signature()], {
    input: body,
    env: { BANKAPI_WEBHOOK_SECRET: secret },
  })
  expect({ code, stdout }).toEqual({
    code: 12,
    stdout:
      'The header X-LS-Webhook-Timestamp is missing: a proxy dropped it, or this is not a delivery of the service.\n',
  })
})

it('secrets of other environments on this machine explain a failure, but never verify', async () => {
  const home = await withStoredSecrets({
    'sandbox/webhook/whk_1': secret,
    'live/webhook/whk_2': 'whsec_live',
    'sandbox/webhook/whk_1/replaced': JSON.stringify({ secret: 'whsec_old', replaced_at: now - 26 * 3600 }),
  })
  const env = { BANKAPI_WEBHOOK_SECRET: '' }
  const flags = ['--subscription', 'whk_1']
  expect(await verify(signature(), { home, env, flags })).toMatchObject({ code: 0 })
  expect(await verify(signature(body, 'whsec_live'), { home, env, flags })).toMatchObject({
    code: 12,
    message: 'It was signed with the live secret of whk_2, which is not the secret in use here.',
  })
  expect(await verify(signature(body, 'whsec_old'), { home, env, flags })).toMatchObject({
    code: 12,
    message:
      'It was signed with the old sandbox secret of whk_1, and its 24 h overlap is over since 2 h: use the new one.',
  })
})

it('without a secret nothing is verified; with the secret on stdin the body has to be a file', async () => {
  const home = createHome()
  const given = [
    'webhooks',
    'verify',
    '--timestamp',
    String(now),
    '--signature',
    signature(),
    '--now',
    String(now),
  ]
  const none = await home.run(given, { input: body })
  expect(none.code).toBe(2)
  expect(none.stderr).toContain('--secret-stdin')
  const both = await home.run([...given, '--secret-stdin'], { input: secret })
  expect(both.code).toBe(2)
  expect(both.stderr).toContain('--body')
  const file = join(home.folder, 'body')
  writeFileSync(file, body)
  const good = await home.run([...given, '--secret-stdin', '--body', file], { input: `${secret}\n` })
  expect(good).toMatchObject({ code: 0, stdout: 'The signature verifies.\n', stderr: '' })
  const missing = await home.run([...given, '--secret-stdin', '--body', `${file}-2`], { input: secret })
  expect(missing.code).toBe(2)
})
