import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { everyEndpoint } from '../../src/contract/contract.ts'
import { ErrorEnvelope } from '../../src/contract/errors.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const endpoints = everyEndpoint().map(({ endpoint }) => endpoint)

/** Text of every kind: ids that could be right, SQL, control characters, long, empty. */
const text = fc.oneof(
  fc.constantFrom(
    'cli_demo',
    'con_FDE_123',
    'con_PDF_1',
    'acc_FDE_12301',
    'txn_FDE_1',
    'op_1',
    'whk_00',
    'ins_a_ok',
    '',
  ),
  fc.constantFrom(
    "' OR 1=1 --",
    '../../etc/passwd',
    '%00',
    '\u0000',
    '\ud800',
    '🏦'.repeat(300),
    'x'.repeat(5000),
    '__proto__',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
)
const value = fc.oneof({ depthSize: 'small' }, text, fc.jsonValue(), fc.double(), fc.constant(null))
const fields = [
  'client_id',
  'institution_id',
  'redirect_url',
  'url',
  'event_types',
  'scopes',
  'limit',
  'cursor',
  'from',
  'idp_user_id',
]
const body = fc.oneof(
  fc
    .dictionary(fc.oneof(fc.constantFrom(...fields), fc.string()), value, { maxKeys: 5 })
    .map((one) => JSON.stringify(one)),
  fc.json(),
  fc.string({ unit: 'binary' }),
)
const query = fc.dictionary(fc.oneof(fc.constantFrom(...fields, 'to', 'q', 'token'), fc.string()), text, {
  maxKeys: 3,
})

test('whatever is sent to whichever operation is answered, and every refusal in the envelope', {
  tags: ['slow'],
  timeout: 120_000,
}, async () => {
  const emulator = await runningEmulator()
  const request = fc.record({
    endpoint: fc.constantFrom(...endpoints),
    ids: fc.array(text, { minLength: 2, maxLength: 2 }),
    query,
    body,
  })
  await fc.assert(
    fc.asyncProperty(request, async ({ endpoint, ids, query: parameters, body: sent }) => {
      const path = endpoint.path.replaceAll(
        /\{\w+\}/g,
        () => encodeURIComponent(wellFormed(ids.pop() ?? '')) || 'x',
      )
      const search = new URLSearchParams(
        Object.entries(parameters).map(([name, one]): [string, string] => [
          wellFormed(name),
          wellFormed(one),
        ]),
      )
      const takesBody = endpoint.method !== 'GET'
      const answer = await emulator.call(endpoint.method, `${path}?${search}`, {
        headers: { 'content-type': 'application/json' },
        ...(takesBody ? { body: sent } : {}),
      })
      check(
        answer.status,
        answer.headers.get('x-ls-trace-id'),
        answer.text,
        answer.headers.get('content-type'),
      )
    }),
    { numRuns: 1500 },
  )
})

function check(status: number, trace: string | null, text: string, type: string | null): void {
  expect(status).toBeLessThan(500)
  expect(trace).toEqual(expect.any(String))
  if (status < 400 || type?.startsWith('text/html')) return
  const { error } = ErrorEnvelope.parse(JSON.parse(text))
  expect(error.trace_id).toBe(trace)
  expect(error.doc_url).toMatch(new RegExp(`/errors/${error.code}$`))
}

function wellFormed(one: string): string {
  return one.toWellFormed()
}

test('any byte stream gets an answer or a closed connection, and the emulator goes on', async () => {
  const emulator = await runningEmulator()
  const line = fc.oneof(
    fc.constantFrom(
      'Host: localhost',
      'Content-Length: 5',
      'Content-Length: x',
      'Transfer-Encoding: chunked',
      'Expect: 100-continue',
    ),
    fc.string({ unit: 'binary', maxLength: 60 }),
  )
  const stream = fc.record({
    start: fc.constantFrom(
      'GET /v3/clients HTTP/1.1',
      'POST /v3/clients HTTP/1.1',
      'POST / HTTP/9',
      'GET //// HTTP/1.0',
      '\u0000',
    ),
    lines: fc.array(line, { maxLength: 5 }),
    rest: fc.uint8Array({ maxLength: 200 }),
  })
  await fc.assert(
    fc.asyncProperty(stream, async ({ start, lines, rest }) => {
      const head = `${[start, ...lines].join('\r\n')}\r\n\r\n`
      const answer = await exchange(emulator, Buffer.concat([Buffer.from(head), rest]))
      if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 [1-4]\d\d /)
    }),
    { numRuns: 300 },
  )
  expect((await emulator.call('GET', '/health')).status).toBe(200)
  expect(emulator.status().failures).toBe(0)
}, 120_000)

/** Sends the bytes, ends the sending side, and returns what comes back. */
function exchange(emulator: TestEmulator, bytes: Buffer): Promise<string> {
  const { port } = new URL(emulator.sandbox.base_url)
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(bytes))
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(answer))
    socket.setTimeout(3000, () => socket.destroy())
  })
}
