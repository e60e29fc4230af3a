/** Runs with @bankapi/client installed, in any runtime, and prints what it met as JSON. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  ApiResponseError,
  type CreateApiOptions,
  createApi,
  isApiError,
  UnreachableError,
  UnreadableResponseError,
  waitForOperation,
} from '@bankapi/client'

const { BANKAPI_BASE_URL: baseUrl = '', BANKAPI_API_KEY: apiKey = '' } = process.env
const api = createApi({ baseUrl, apiKey: async () => apiKey })
const client_id = 'cli_demo'

/** What a call against another server ends with. */
async function against(answer: RequestListener, options: Partial<CreateApiOptions> = {}): Promise<string> {
  const server = createServer(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const other = createApi({ baseUrl: `http://127.0.0.1:${port}/v3`, apiKey, ...options })
  const end = await ending(other.clients.list())
  server.closeAllConnections()
  server.close()
  return end
}

async function ending(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    if (error instanceof UnreachableError || error instanceof UnreadableResponseError)
      return `${error.name} ${error.reason}`
    return error instanceof Error ? error.name : String(error)
  }
}

const gone = createServer()
await once(gone.listen(0, '127.0.0.1'), 'listening')
const nobodyAt = `http://127.0.0.1:${(gone.address() as AddressInfo).port}/v3`
await new Promise((resolve) => gone.close(resolve))
const nobody = createApi({ baseUrl: nobodyAt, apiKey, retries: { attempts: 1 } })
const closed = createApi({ baseUrl, apiKey })
await closed.close()
const reason = new Error('no longer wanted')
const quick = { clock: { ...api.clock, sleep: async () => {} } }

let asked = 0
const waits: string[] = []
const retried = await against(
  (_, response) => {
    if (asked++ === 0) response.writeHead(503).end()
    else response.end('{"data":[],"has_more":false}')
  },
  { ...quick, onWait: ({ reason: why }) => waits.push(why) },
)

const [account] = (await api.accounts.list({ client_id })).data
const accounts = { client_id, account_id: account?.id ?? '' }
const [statement] = (await api.statements.list(accounts)).data
const pdf = await api.statements.download({ client_id, statement_id: statement?.id ?? '' })
const chunks: Uint8Array[] = []
for await (const chunk of pdf.body) chunks.push(chunk)
const content = new Blob(chunks as Uint8Array<ArrayBuffer>[])
const file = { filename: 'statement.pdf', contentType: 'application/pdf', content }
const extraction = await waitForOperation(api, await api.statements.extract({ file }))

let rows = 0
const page = await api.transactions.list({ ...accounts, limit: 3 })
for await (const _ of api.transactions.list.all({ ...accounts, limit: 3 })) if (++rows === 10) break

const missing = await api.accounts
  .get({ client_id, account_id: 'acc_FDE_0' })
  .catch((error: unknown) => error)

console.log(
  JSON.stringify({
    refused: await ending(nobody.clients.list()),
    silent: await against(() => {}, { timeouts: { connectMs: 1, headersMs: 200 }, retries: { attempts: 1 } }),
    aborted: await api.clients
      .list({}, { signal: AbortSignal.abort(reason) })
      .catch((error: unknown) => (error === reason ? 'the signal itself' : String(error))),
    closed: await ending(closed.clients.list()),
    notFound:
      isApiError(missing, 'not_found') && missing instanceof ApiResponseError
        ? missing.code
        : String(missing),
    redirected: await against((_, response) =>
      response.writeHead(302, { Location: 'http://127.0.0.1:1/stolen' }).end(),
    ),
    statement: new TextDecoder().decode(chunks[0]).slice(0, 4),
    extracted: extraction.status,
    retried: [...waits, retried],
    pages: [page.data.length, rows],
  }),
)
