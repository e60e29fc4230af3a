import { expect, test } from 'vitest'
import * as z from 'zod'
import { ErrorEnvelope } from '../../src/contract/errors.ts'
import { createRandom } from '../../src/emulator/catalog/random.ts'
import { exchange, parseAnswers, type RawAnswer, type Sending } from '../support/raw-exchange.ts'
import { type RequestTemplate, requestTemplates } from '../support/request-templates.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'
import { bytesOf, spoiled } from '../support/spoiled-requests.ts'

/** How long it looks; BANKAPI_FUZZ_SECONDS=3600 for an hour. What it found again: BANKAPI_FUZZ_SEED. */
const seconds = Number(process.env['BANKAPI_FUZZ_SECONDS'] ?? 10)
const seed = Number(process.env['BANKAPI_FUZZ_SEED'] ?? Date.now() % 2 ** 32)
/** Requests after which everything is as at the start: what was spoiled may have been a deletion. */
const batch = 400

const JsonRpcError = z.object({
  jsonrpc: z.literal('2.0'),
  error: z.object({ code: z.number(), message: z.string() }),
})

const portOf = ({ sandbox }: TestEmulator) => Number(new URL(sandbox.base_url).port)

async function send(
  emulator: TestEmulator,
  request: RequestTemplate,
  sending: Sending = {},
): Promise<RawAnswer[]> {
  return parseAnswers(await exchange(portOf(emulator), bytesOf(request), sending), request.method)
}

/** What holds for every answer, whatever was sent. Returns what does not, in words. */
function faultOf({ status, headers, body }: RawAnswer, method: string): string | undefined {
  if (status >= 500) return `status ${status}: ${body}`
  const trace = headers.get('x-ls-trace-id')
  const page = headers.get('content-type')?.startsWith('text/html')
  if (trace === undefined && !page) return `no trace id on ${status}`
  if (status < 400 || page || method === 'HEAD') return undefined
  // The connector refuses in the words of its own protocol.
  if (JsonRpcError.safeParse(parsed(body)).success) return undefined
  const envelope = ErrorEnvelope.safeParse(parsed(body))
  if (!envelope.success) return `no envelope on ${status}: ${body.slice(0, 300)}`
  const { error } = envelope.data
  if (error.trace_id !== trace) return `trace id ${error.trace_id} under the header ${trace}`
  return error.message === '' ? 'no message' : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

test('the good request that the fuzzer starts from succeeds, for every operation', async () => {
  const emulator = await runningEmulator()
  const answers: [string, number | undefined][] = []
  const expected: [string, number][] = []
  for (const request of await requestTemplates(emulator)) {
    const [answer] = await send(emulator, request)
    answers.push([request.name, answer?.status])
    expected.push([request.name, request.success])
  }
  expect(answers).toEqual(expected)
})

test(
  `${seconds} s of spoiled requests at every operation: always an answer in the envelope, never a 500, never a crash`,
  async () => {
    const emulator = await runningEmulator()
    const random = createRandom(seed)
    const end = Date.now() + seconds * 1000
    const seen = new Map<number, number>()
    while (Date.now() < end) {
      const templates = await requestTemplates(emulator)
      for (let count = 0; count < batch && Date.now() < end; count += 1) {
        const request = spoiled(random.pick(templates), random)
        const bytes = bytesOf(request)
        const splitAt = random.chance(0.3) ? random.int(0, bytes.length) : undefined
        const hangUp = mayBeUnfinished(request)
        const answers = await send(emulator, request, { splitAt, hangUp })
        const what = () =>
          `seed ${seed}: ${request.name}: ${JSON.stringify(bytes.toString('latin1').slice(0, 2000))}`
        for (const answer of answers) {
          const fault = faultOf(answer, request.method)
          if (fault !== undefined) throw new Error(`${fault}\n${what()}`)
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
        }
        if (answers.length === 0 && !hangUp) throw new Error(`no answer\n${what()}`)
      }
      expect((await emulator.call('GET', '/health')).status).toBe(200)
      expect(emulator.status().failures).toBe(0)
      // SQL stayed text: nobody came, nobody went.
      expect((await emulator.get('/clients?limit=500')).data[0].id).toBe('cli_demo')
      await emulator.reset()
    }
    // It went deep: requests were taken, found wanting, refused, too large.
    for (const status of [200, 400, 401, 404, 405, 413]) expect([...seen.keys()]).toContain(status)
  },
  (seconds + 60) * 1000,
)

/** A length or an encoding that promises more than was sent: there is nobody to answer once the sender hung up. */
function mayBeUnfinished({ headers }: RequestTemplate): boolean {
  const length = headers.filter(([name]) => name === 'Content-Length')
  const encoded = headers.some(([name]) => name === 'Transfer-Encoding' || name === 'Upgrade')
  return encoded || length.length !== 1
}

test.each([
  ['a request without Host', 'GET /v3/health HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
  ['a CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n', 400],
  ['headers that never end', `GET /v3/health HTTP/1.1\r\n${'X: y\r\n'.repeat(20_000)}`, 431],
  [
    'an expectation that nobody knows',
    'GET /v3/nothing HTTP/1.1\r\nHost: localhost\r\nExpect: rain\r\nConnection: close\r\n\r\n',
    404,
  ],
])('%s is answered in the envelope, not by Node', async (_what, text, status) => {
  const emulator = await runningEmulator()
  const [answer] = parseAnswers(await exchange(portOf(emulator), Buffer.from(text)), 'GET')
  expect(answer?.status).toBe(status)
  expect(answer && faultOf(answer, 'GET')).toBeUndefined()
})
