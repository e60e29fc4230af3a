/** What the protocol's own inspector sees of `bankapi mcp`: every tool is listed without a complaint, and answers. */
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { bin } from '../support/built-program.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { recorded } from '../support/recorded.ts'
import { storeSecrets } from '../support/stored-secrets.ts'

const emulator = emulatorShell()
const require = createRequire(import.meta.url)
const inspector = require.resolve('@modelcontextprotocol/inspector/clients/launcher/build/index.js')

/** Each tool with input that it answers. */
const inputs: Readonly<Record<string, object>> = {
  triage_connections: {},
  find_clients: { text: 'demo' },
  get_connection: { connection_id: 'con_FDE_123' },
  list_accounts: { client_id: 'cli_demo' },
  search_transactions: { client_id: 'cli_demo' },
  summarize_transactions: { client_id: 'cli_demo', by: 'merchant' },
  list_statements: { client_id: 'cli_demo' },
  get_operation: {},
  list_deliveries: { id: 'evt_1' },
  query_mirror: { sql: 'select id from ledger' },
  look_up_reference: { words: 'refresh' },
  refresh_connection: { connection_id: 'con_FDE_123' },
  reauthorize_connection: { connection_id: 'con_FDE_123' },
  link_bank: { client_id: 'cli_demo', institution: 'ins_a_ok' },
  test_webhook: {},
}

/** What has to be there before. */
const prepared: Readonly<Record<string, () => unknown>> = {
  query_mirror: () => emulator.text('bankapi sync'),
  list_deliveries: () => recorded(emulator.home.folder, [['evt_1']]),
  reauthorize_connection: async () => {
    // Its link is kept in the file.
    storeSecrets(emulator.home, { 'local/other': 'a secret' })
    await emulator.text(
      'bankapi emulator trigger connection.requires_action --connection con_FDE_123 --code credentials_invalid',
    )
  },
  test_webhook: () =>
    emulator.text(
      'bankapi webhooks create --url http://127.0.0.1:9/ --events connection.active --print-secret',
    ),
}

async function inspect(era: string, ...args: readonly string[]): Promise<{ result: never; stderr: string }> {
  const config = join(emulator.shell.folder, 'servers.json')
  const { env } = emulator.shell
  const server = {
    command: process.execPath,
    args: [bin, 'mcp', '--allow', 'refresh,reauthorize,link,webhooks'],
    env,
  }
  writeFileSync(config, JSON.stringify({ mcpServers: { bankapi: server } }))
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [
      ...[inspector, '--cli', '--config', config, '--server', 'bankapi', '--format', 'json'],
      ...['--protocol-era', era, ...args],
    ],
    { env: { ...env, MCP_INSPECTOR_SECRET_STORE: 'memory' } },
  )
  return { result: JSON.parse(stdout).result as never, stderr }
}

it.each(['legacy', 'modern'])('%s: every tool is listed without a complaint', async (era) => {
  await prepared['query_mirror']?.()
  const { result, stderr } = await inspect(era, '--method', 'tools/list', '--strict')
  const { tools } = result as { tools: { name: string }[] }
  expect(stderr).not.toContain('Warning')
  expect(tools.map(({ name }) => name).toSorted()).toEqual(Object.keys(inputs).toSorted())
})

it.each(Object.entries(inputs))('%s answers', async (name, input) => {
  await prepared[name]?.()
  const call = ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(input)]
  const { result } = await inspect('legacy', ...call)
  expect(result).toMatchObject({ structuredContent: { environment: 'local' } })
  expect(result).not.toHaveProperty('isError', true)
})
