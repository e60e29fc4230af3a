/** Clients that others' generators make from the document: their types compile, and they link a bank. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { createClient } from '@hey-api/openapi-ts'
import { build } from 'esbuild'
import openapiTS, { astToString } from 'openapi-typescript'
import { describe, expect, onTestFinished, test } from 'vitest'
import { recordedDocument } from '../../src/openapi/openapi.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const root = new URL('../../', import.meta.url)

interface Service {
  readonly baseUrl: string
  readonly apiKey: string
  /** The user finishes the widget. */
  readonly link: (connectionId: string) => Promise<void>
  /** Time passes. */
  readonly wait: () => Promise<void>
}

/** What a program found: the code of a refusal, the new Connection's status and accounts, the begin of a statement. */
interface Outcome {
  readonly refusal: string
  readonly status: string
  readonly types: readonly string[]
  readonly pdf: string
}

type Program = (service: Service) => Promise<Outcome>

const service = `
  interface Service {
    readonly baseUrl: string
    readonly apiKey: string
    readonly link: (connectionId: string) => Promise<void>
    readonly wait: () => Promise<void>
  }
`

/** Types by openapi-typescript, requests by openapi-fetch. */
const withTypes = `
  import createClient from 'openapi-fetch'
  import type { components, paths, webhooks } from './api.ts'
  ${service}
  type Active = webhooks['connection.active']['post']['requestBody']['content']['application/json']
  const stateOf = (event: Active): components['schemas']['ConnectionStatus'] => event.data.connection.status
  void stateOf
  const codeOf = (event: components['schemas']['WebhookEvent']): string =>
    event.type === 'account.refresh.failed' ? event.data.account.error.code : event.event_id
  void codeOf

  export default async function run({ baseUrl, apiKey, link, wait }: Service) {
    const headers = { Authorization: \`Bearer \${apiKey}\` }
    const api = createClient<paths>({ baseUrl, headers })
    const { error } = await api.GET('/connections/{connection_id}', {
      params: { path: { connection_id: 'con_FDE_none' } },
    })
    const path = { client_id: 'cli_demo' }
    const { data: started } = await api.POST('/clients/{client_id}/connections', {
      params: { path },
      body: { institution_id: 'ins_a_ok' },
    })
    if (!started) throw new Error('not started')
    await wait()
    const { data: operation } = await api.GET('/operations/{operation_id}', {
      params: { path: { operation_id: started.operation_id } },
    })
    const result = operation?.result
    if (!result || !('connection' in result)) throw new Error('no result')
    const { connection } = result as components['schemas']['ConnectionResult']
    if (!connection.action?.widget_url) throw new Error('no widget')
    await link(connection.id)
    const { data: list } = await api.GET('/clients/{client_id}/connections', { params: { path } })
    const linked = list?.data.at(-1)
    if (!linked) throw new Error('not linked')
    const { data: accounts } = await api.GET('/accounts', {
      params: { query: { client_id: 'cli_demo', connection_id: linked.id, limit: 2 } },
    })
    const { data: statements } = await api.GET('/accounts/{account_id}/statements', {
      params: { path: { account_id: 'acc_FDE_12301' }, query: { client_id: 'cli_demo' } },
    })
    const { data: pdf } = await api.GET('/statements/{statement_id}/download', {
      params: { path: { statement_id: statements?.data[0]?.id ?? '' }, query: { client_id: 'cli_demo' } },
      parseAs: 'text',
    })
    return {
      refusal: error?.error.code ?? '',
      status: linked.status,
      types: accounts?.data.map(({ type }) => type) ?? [],
      pdf: pdf?.slice(0, 5) ?? '',
    }
  }
`

/** All by @hey-api/openapi-ts. */
const withSdk = `
  import { client } from './client/client.gen.ts'
  import * as api from './client/sdk.gen.ts'
  import type { ConnectionActiveEvent, ConnectionResult, ConnectionStatus, WebhookEvent } from './client/types.gen.ts'
  ${service}
  const stateOf = (event: ConnectionActiveEvent): ConnectionStatus => event.data.connection.status
  void stateOf
  const codeOf = (event: WebhookEvent): string =>
    event.type === 'account.refresh.failed' ? event.data.account.error.code : event.event_id
  void codeOf

  export default async function run({ baseUrl, apiKey, link, wait }: Service) {
    client.setConfig({ baseUrl, auth: () => apiKey })
    const { error } = await api.connectionsGet({ path: { connection_id: 'con_FDE_none' } })
    const path = { client_id: 'cli_demo' }
    const { data: started } = await api.connectionsInitiate({ path, body: { institution_id: 'ins_a_ok' } })
    if (!started) throw new Error('not started')
    await wait()
    const { data: operation } = await api.operationsGet({ path: { operation_id: started.operation_id } })
    const { connection } = operation?.result as ConnectionResult
    if (!connection.action?.widget_url) throw new Error('no widget')
    await link(connection.id)
    const { data: list } = await api.connectionsList({ path })
    const linked = list?.data.at(-1)
    if (!linked) throw new Error('not linked')
    const { data: accounts } = await api.accountsList({
      query: { client_id: 'cli_demo', connection_id: linked.id, limit: 2 },
    })
    const { data: statements } = await api.statementsList({
      path: { account_id: 'acc_FDE_12301' },
      query: { client_id: 'cli_demo' },
    })
    const { data: pdf } = await api.statementsDownload({
      path: { statement_id: statements?.data[0]?.id ?? '' },
      query: { client_id: 'cli_demo' },
      parseAs: 'blob',
    })
    return {
      refusal: error?.error.code ?? '',
      status: linked.status,
      types: accounts?.data.map(({ type }) => type) ?? [],
      pdf: (await pdf?.slice(0, 5).text()) ?? '',
    }
  }
`

const generators: readonly (readonly [
  string,
  string,
  (document: object, folder: string) => Promise<void>,
])[] = [
  [
    'openapi-typescript',
    withTypes,
    async (document, folder) =>
      writeFile(join(folder, 'api.ts'), astToString(await openapiTS(JSON.stringify(document)))),
  ],
  [
    '@hey-api/openapi-ts',
    withSdk,
    async (document, folder) => {
      const output = { path: join(folder, 'client'), module: { extension: '.ts' } }
      await createClient({ input: document as never, output, logs: { level: 'silent', file: false } })
    },
  ],
]

describe.each(generators)('%s', (_, program, generate) => {
  test.each(['3.1', '3.2'] as const)(
    'makes a client from %s that compiles under strict and links a bank',
    { tags: ['slow'], timeout: 60_000 },
    async (version) => {
      const folder = await temporaryFolder()
      await generate(recordedDocument({ version }), folder)
      await writeFile(join(folder, 'program.ts'), program)
      expect(await compilerFindings(folder)).toBe('')
      expect(await outcomeOf(folder)).toEqual({
        refusal: 'not_found',
        status: 'active',
        types: ['checking', 'savings'],
        pdf: '%PDF-',
      })
    },
  )
})

test('a misspelt field or path does not compile', { tags: ['slow'], timeout: 60_000 }, async () => {
  const folder = await temporaryFolder()
  const types = await openapiTS(JSON.stringify(recordedDocument({ version: '3.1' })))
  await writeFile(join(folder, 'api.ts'), astToString(types))
  const program = withTypes.replace('institution_id:', 'institution:').replace("'/accounts'", "'/account'")
  await writeFile(join(folder, 'program.ts'), program)
  const findings = await compilerFindings(folder)
  expect(findings).toContain("'institution' does not exist")
  expect(findings).toContain('\'"/account"\'')
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bankapi-openapi-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await symlink(new URL('node_modules', root), join(folder, 'node_modules'))
  const compilerOptions = {
    target: 'es2024',
    lib: ['esnext', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  return folder
}

async function compilerFindings(folder: string): Promise<string> {
  const { pathname: tsc } = new URL('node_modules/.bin/tsc', root)
  const failed = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    () => undefined,
    (error: { stdout: string }) => error.stdout,
  )
  return failed ?? ''
}

/** Runs the program against an emulator. */
async function outcomeOf(folder: string): Promise<Outcome> {
  const outfile = join(folder, 'program.mjs')
  await build({ entryPoints: [join(folder, 'program.ts')], outfile, bundle: true, format: 'esm' })
  const { default: run } = (await import(pathToFileURL(outfile).href)) as { default: Program }
  const emulator = await runningEmulator()
  return run({
    baseUrl: emulator.sandbox.base_url,
    apiKey: emulator.sandbox.api_key,
    link: async (connection) => {
      emulator.link(connection)
      await emulator.advance(0)
    },
    wait: async () => {
      await emulator.advance(1000)
    },
  })
}
