/** What the protocol's own inspector sees of the emulator's connector over HTTP: every tool is listed without a complaint, and answers. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { connectorOf } from '../support/connector-client.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const require = createRequire(import.meta.url)
const inspector = require.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

type Prepare = (emulator: TestEmulator) => object | Promise<object>

/** Each tool with input that it answers. */
const inputs: Readonly<Record<string, Prepare>> = {
  list_clients: () => ({}),
  search_institutions: () => ({ name: 'fir' }),
  list_connections: () => ({ client_id: 'cli_demo' }),
  connect_bank: () => ({ client_id: 'cli_demo' }),
  refresh_connection: () => ({ connection_id: 'con_FDE_123' }),
  get_operation: async (emulator) => ({ operation_id: (await emulator.refreshed('con_FDE_123')).id }),
  list_accounts: () => ({ client_id: 'cli_demo' }),
  list_transactions: () => ({ client_id: 'cli_demo', account_id: 'acc_FDE_12301' }),
  list_statements: () => ({ client_id: 'cli_demo', account_id: 'acc_FDE_12301' }),
  pair_desktop_app: async (emulator) => ({
    connection_id: await emulator.linked('ins_fde_desktop'),
    pairing_code: '123456',
  }),
}

async function inspect(
  emulator: TestEmulator,
  era: string,
  ...args: readonly string[]
): Promise<{ result: never; stderr: string }> {
  const home = mkdtempSync(join(tmpdir(), 'bankapi-inspector-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      ...[inspector, '--cli', '--transport', 'http', '--server-url', connectorOf(emulator).href],
      ...['--header', `Authorization: Bearer ${emulator.sandbox.api_key}`, '--format', 'json'],
      ...['--protocol-era', era, ...args],
    ],
    { env: { HOME: home, MCP_INSPECTOR_SECRET_STORE: 'memory' } },
  )
  return { result: JSON.parse(stdout).result as never, stderr }
}

it.each(['legacy', 'modern'])('%s: every tool is listed without a complaint', async (era) => {
  const { result, stderr } = await inspect(await runningEmulator(), era, '--method', 'tools/list', '--strict')
  const { tools } = result as { tools: { name: string }[] }
  expect(stderr).not.toContain('Warning')
  expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(inputs).toSorted())
})

it.each(Object.entries(inputs))('%s answers', async (name, prepare) => {
  const emulator = await runningEmulator()
  const input = JSON.stringify(await prepare(emulator))
  const call = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', input]
  const { result } = await inspect(emulator, 'modern', ...call)
  expect(result).toMatchObject({ structuredContent: expect.any(Object) })
  expect(result).not.toHaveProperty('isError', true)
})
