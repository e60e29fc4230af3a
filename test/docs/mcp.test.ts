/**
 * docs/mcp.md and the README: the answers shown are real, the tools are all there, and the configurations start a server. To update
 * the answers: BANKAPI_DOCS_WRITE=1 npm run test:only test/docs/mcp.test.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, it, onTestFinished } from 'vitest'
import { tools } from '../../src/mcp/tools/tools.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { openAssistant, type TestAssistant } from '../support/mcp-client.ts'
import { portable } from '../support/shell.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()
const pages = ['docs/mcp.md', 'README.md'].map((name) => new URL(`../../${name}`, import.meta.url))
const text = readFileSync(pages[0] as URL, 'utf8')

/** A server that fails, as a listener's target; it has got one delivery when this resolves. */
async function failedDelivery(): Promise<void> {
  let met = 0
  const target = createServer((_, response) => {
    met++
    response
      .writeHead(500, { 'content-type': 'application/json' })
      .end('{"error":"relation \\"banks\\" does not exist"}')
  })
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
  const { port } = target.address() as AddressInfo
  const listener = emulator.home.start([
    'webhooks',
    'listen',
    '--forward',
    `localhost:${port}`,
    '--port',
    '0',
  ])
  await listener.line((line) => line.startsWith('Ready'))
  await emulator.text(
    'bankapi emulator trigger connection.requires_action --connection con_FDE_123 --code credentials_invalid',
  )
  await until(() => met > 0, 'a delivery')
  listener.process.kill('SIGINT')
  await listener.ended
  target.close()
}

/** JSON with as much on a line as fits. */
function shown(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value)
  if (flat.length + indent.length <= 170 || typeof value !== 'object' || value === null) return flat
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => shown(item, inner))
    : Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${shown(field, inner)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`
}

async function answered(assistant: TestAssistant, comment: string): Promise<string> {
  const [, name = '', json = ''] = /^\/\/ (\w+) (\{.*\})$/.exec(comment) ?? []
  const input = JSON.parse(json) as Record<string, string>
  if (input['id']?.startsWith('evt_')) {
    const { deliveries } = await assistant.call<{ deliveries: { id: string }[] }>('list_deliveries', {
      failed: true,
    })
    input['id'] = deliveries[0]?.id ?? ''
  }
  return `// ${name} ${JSON.stringify(input)}\n${shown(await assistant.call(name, input))}\n`
}

const block = /```jsonc\n(\/\/ .*)\n([\s\S]*?)```/g

/** Without what differs from day to day: ids, times, amounts, and how many rows of a kind there are. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'number') return 'N'
  if (typeof value === 'string') return portable(value, emulator.home.folder).replaceAll(/\d+/g, 'N')
  if (Array.isArray(value)) {
    const shapes = new Set(value.map((item) => JSON.stringify(shapeOf(item))))
    return [...shapes]
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]))
}

/** The answer of a block, below its first line. */
const answerIn = (text: string) => shapeOf(JSON.parse(text.replace(/^\/\/.*$/m, '') || 'null'))

it('the answers in docs/mcp.md and README.md are those of today', async () => {
  await emulator.text('bankapi sync')
  await failedDelivery()
  const { env, folder } = emulator.shell
  const assistant = await openAssistant({ env, folder })
  let count = 0
  for (const page of pages) {
    let written = readFileSync(page, 'utf8')
    for (const [whole, comment = '', answer = ''] of written.matchAll(block)) {
      const real = await answered(assistant, comment)
      count++
      if (process.env['BANKAPI_DOCS_WRITE'] === '1')
        written = written.replace(whole, () => `\`\`\`jsonc\n${real}\`\`\``)
      else expect(answerIn(answer)).toEqual(answerIn(real))
    }
    if (process.env['BANKAPI_DOCS_WRITE'] === '1') writeFileSync(page, written)
  }
  expect(count).toBeGreaterThan(5)
})

it('docs/mcp.md has a row for each tool, with its scopes and its group', () => {
  const rows = text.split('\n').filter((line) => /^\| `\w+_\w+` \|/.test(line))
  const expected = tools.map(({ name, scopes, group }) => ({
    name,
    needs: [...scopes, ...(group === undefined ? [] : [group])],
  }))
  for (const { name, needs } of expected) {
    const row = rows.find((line) => line.startsWith(`| \`${name}\` |`)) ?? `no row for ${name}`
    for (const need of needs) expect(row).toContain(`\`${need}\``)
  }
})

const configurations = [...text.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = '']) => JSON.parse(json))

it.each(configurations)('the configuration %j starts a server, and has no secret', async (configuration) => {
  const { command, args, env: variables } = (configuration.mcpServers ?? configuration.servers).bankapi
  const { env, folder } = emulator.shell
  const names = Object.keys(variables ?? {})
  for (const name of names) expect(name).not.toMatch(/KEY|SECRET|PASSWORD/)
  // Where it has `env`, the client hands on nothing else but what each does.
  const kept = variables === undefined ? Object.keys(env) : ['HOME', 'PATH', ...names]
  const transport = new StdioClientTransport({
    command,
    args: args.map((arg: string) => (arg === 'sandbox' ? 'local' : arg)),
    env: Object.fromEntries(kept.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    cwd: folder,
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1' })
  onTestFinished(() => client.close())
  await client.connect(transport)
  expect((await client.listTools()).tools.length).toBeGreaterThan(5)
})

it('after the login of the page a server starts, without a variable', async () => {
  const [, login = ''] = /```sh\n(bankapi login .*)\n```/.exec(text) ?? []
  const { base_url, api_key } = emulator.home.sandbox
  await emulator.text(
    `${login.replace('https://api.example.com/v3', base_url)} --key-stdin --insecure-storage`,
    { input: api_key },
  )
  const { BANKAPI_ENV: _, BANKAPI_CLIENT_ID: __, ...env } = emulator.shell.env
  const assistant = await openAssistant({ env, folder: emulator.shell.folder }, ['--env', 'sandbox'])
  expect(await assistant.call('find_clients')).toMatchObject({ environment: 'sandbox' })
})

it('the other configurations start the same command', () => {
  const [first] = configurations
  const { command, args } = first.mcpServers.bankapi
  expect(text).toContain(`claude mcp add bankapi -- ${[command, ...args].join(' ')}\n`)
  expect(text).toContain(`command = "${command}"\nargs = ${JSON.stringify(args).replaceAll(',', ', ')}\n`)
})
