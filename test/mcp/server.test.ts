/** The rules of `bankapi mcp` that hold for every tool. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bin } from '../support/built-program.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { type Era, openAssistant } from '../support/mcp-client.ts'

const emulator = emulatorShell()
const open = (flags: readonly string[] = [], era?: Era) =>
  openAssistant({ env: emulator.shell.env, folder: emulator.shell.folder }, flags, era && { era })

it('an old client and a new one get the same tools and the same answers', async () => {
  const [legacy, modern] = await Promise.all([open([], 'legacy'), open([], 'modern')])
  expect(legacy.client.getProtocolEra()).toBe('legacy')
  expect(modern.client.getProtocolEra()).toBe('modern')
  const tools = async (one: typeof legacy) => (await one.client.listTools()).tools
  expect(await tools(legacy)).toEqual(await tools(modern))
  for (const [name, input] of [
    ['triage_connections', {}],
    ['find_clients', { text: 'demo' }],
    ['list_accounts', { client_id: 'cli_demo' }],
    ['get_connection', { connection_id: 'con_FDE_123' }],
  ] as const) {
    expect(await legacy.call(name, input)).toEqual(await modern.call(name, input))
  }
})

it('the whole list has at most 15 tools and fewer than 6,000 tokens, each with title, annotations and both schemas', async () => {
  // With a mirror, which one of them needs.
  await emulator.text('bankapi sync')
  const { tools } = await (await open(['--allow', 'refresh,reauthorize,link,webhooks'])).client.listTools()
  expect(tools.length).toBeLessThanOrEqual(15)
  expect(JSON.stringify(tools).length / 4).toBeLessThan(6000)
  for (const { title, annotations, inputSchema, outputSchema } of tools) {
    expect(title).toMatch(/\w/)
    expect(annotations).toMatchObject({ readOnlyHint: expect.any(Boolean), destructiveHint: false })
    expect(inputSchema.type).toBe('object')
    expect(outputSchema).toMatchObject({ properties: { environment: { type: 'string' } } })
  }
})

it('every answer and every failure names the environment, and the text is the structured content', async () => {
  const assistant = await open()
  const answer = await assistant.result('find_clients')
  const failure = await assistant.result('get_connection', { connection_id: 'con_FDE_999' })
  const textOf = ({ content }: typeof answer) => JSON.parse((content[0] as { text: string }).text)
  expect(answer.structuredContent).toMatchObject({ environment: 'local' })
  expect(textOf(answer)).toEqual(answer.structuredContent)
  expect(failure.isError).toBe(true)
  expect(textOf(failure)).toMatchObject({
    environment: 'local',
    error: { code: 'not_found', message: expect.stringContaining('con_FDE_999') },
  })
})

it('without --allow nothing acts: the tools are neither listed nor callable', async () => {
  const reader = await open()
  expect(await reader.toolNames()).not.toContain('refresh_connection')
  await expect(reader.result('refresh_connection', { connection_id: 'con_FDE_123' })).rejects.toThrow(
    /not found/,
  )
  expect(reader.client.getInstructions()).toContain('These tools only read.')
  const { data } = JSON.parse(await emulator.text('bankapi emulator logs --json'))
  expect(data.filter(({ method }: { method: string }) => method !== 'GET')).toEqual([])

  const actor = await open(['--allow', 'refresh'])
  expect(actor.client.getInstructions()).toContain('may act in: refresh.')
  expect(await actor.call('refresh_connection', { connection_id: 'con_FDE_123' })).toMatchObject({
    operation_id: expect.stringMatching(/^op_/),
    status: 'queued',
  })
})

it('tools that the key may not use are not listed', async () => {
  const { secret } = JSON.parse(
    await emulator.text('bankapi keys create --scopes read:clients,read:connections --json'),
  )
  const env = { ...emulator.shell.env, BANKAPI_API_KEY: secret, BANKAPI_ENV: 'local' }
  const assistant = await openAssistant({ env, folder: emulator.shell.folder })
  const names = await assistant.toolNames()
  expect(names).toContain('find_clients')
  expect(names).not.toContain('list_accounts')
  expect(names).not.toContain('triage_connections')
})

it('names and masks are shown with --pii only', async () => {
  const closed = await open()
  const hidden = JSON.stringify([
    await closed.call('find_clients'),
    await closed.call('list_accounts', { client_id: 'cli_demo' }),
  ])
  expect(hidden).not.toMatch(/Núñez|mask|@/)
  const shown = await open(['--pii'])
  expect(await shown.call('find_clients')).toMatchObject({
    clients: [{ person: { name: expect.stringContaining('Núñez') } }],
  })
  expect(await shown.call('list_accounts', { client_id: 'cli_demo' })).toMatchObject({
    accounts: expect.arrayContaining([
      expect.objectContaining({
        bank_text: { name: expect.any(String), mask: expect.stringMatching(/^\d{4}$/) },
      }),
    ]),
  })
  // What is not shown cannot be guessed letter by letter.
  const { data } = JSON.parse(await emulator.text('bankapi clients list --json'))
  const { name, email } = data.find(({ id }: { id: string }) => id === 'cli_demo')
  for (const text of ['núñez', name, email]) {
    expect(await closed.call('find_clients', { text })).toMatchObject({ clients: [] })
    expect(await shown.call('find_clients', { text })).toMatchObject({ clients: [{ id: 'cli_demo' }] })
  }
  for (const text of ['cli_demo', 'DEMO-1']) {
    expect(await closed.call('find_clients', { text })).toMatchObject({ clients: [{ id: 'cli_demo' }] })
  }
})

it('a failure about arguments names no help of a shell', async () => {
  const assistant = await open()
  const failure = await assistant.failure('get_connection', { connection_id: 'nonsense' })
  expect(failure).toMatchObject({ code: 'invalid_request' })
  expect(JSON.stringify(failure)).not.toContain('--help')
  expect(await assistant.failure('get_connection', { connection_id: 'con_FDE_999' })).toMatchObject({
    hint: expect.stringContaining('Check the id'),
  })
})

it('the log has a line for each call, for its owner alone, and nothing of what was asked or answered', async () => {
  const assistant = await open(['--log', 'calls.log'])
  await assistant.call('find_clients', { text: 'zoë' })
  await assistant.failure('get_connection', { connection_id: 'con_FDE_999' })
  await assistant.client.close()
  const file = join(emulator.shell.folder, 'calls.log')
  const text = readFileSync(file, 'utf8')
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    {
      environment: 'local',
      tool: 'find_clients',
      outcome: 'ok',
      ms: expect.any(Number),
      bytes: expect.any(Number),
    },
    { environment: 'local', tool: 'get_connection', outcome: 'not_found' },
  ])
  expect(text).not.toMatch(/zoë|con_FDE|cli_demo/i)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

it('a call that is refused leaves a line, too: of a tool that is not offered, and of arguments that it does not take', async () => {
  const assistant = await open(['--log', 'calls.log'])
  await expect(assistant.result('refresh_connection', { connection_id: 'con_FDE_123' })).rejects.toThrow(
    'local: Tool refresh_connection not found',
  )
  expect(await assistant.failure('find_clients', { txt: 'demo' })).toMatchObject({
    code: 'invalid_arguments',
  })
  await assistant.client.close()
  const lines = readFileSync(join(emulator.shell.folder, 'calls.log'), 'utf8').trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { tool: 'refresh_connection', outcome: 'protocol_error -32602' },
    { tool: 'find_clients', outcome: 'invalid_arguments' },
  ])
})

it('nothing invisible, no secret and, without --pii, no e-mail address stands in any field', async () => {
  const id = 'a\u202eb\u200bc\u{e0041}d whsec_0123456789abcdef zoe@mail.example ?token=abc123tok'
  await emulator.text(`bankapi clients create --external-id "$ID"`, { env: { ID: id } })
  const texts = []
  for (const flags of [[], ['--pii']]) {
    const found = await (await open(flags)).call<{ clients: { external_id?: string }[] }>('find_clients')
    texts.push(
      found.clients.flatMap(({ external_id }) => external_id ?? []).find((one) => one.startsWith('a')),
    )
  }
  expect(texts).toEqual(['a b c d whsec_… [left out] ?token=…', 'a b c d whsec_… zoe@mail.example ?token=…'])
})

it.each([
  ['a name of 10 MB', 'x'.repeat(10_000_000), {}],
  ['a field of 10 MB', 'find_clients', { ['y'.repeat(10_000_000)]: 1 }],
])('%s is answered in a sentence', async (_what, name, input) => {
  const assistant = await open()
  const said = await assistant.result(name, input).then(JSON.stringify, String)
  expect(said.length).toBeLessThan(2000)
  expect(said).toContain('local')
})

it('a log that cannot be written is refused at the start', async () => {
  const { code, stdout, stderr } = await emulator.run('bankapi mcp --log nowhere/calls.log')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('The log cannot be written: ')
})

it('live data has to be named on the command line', async () => {
  const env = {
    BANKAPI_ENV: 'live',
    BANKAPI_API_KEY: 'sk_live_0000000000000000',
    BANKAPI_BASE_URL: 'https://live.example/v3',
  }
  const { code, stdout, stderr } = await emulator.run('bankapi mcp', { env })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('bankapi mcp --env live')
})

it('a missing key is told at the start, with exit code 3', async () => {
  const env = { BANKAPI_BASE_URL: 'https://sandbox.example/v3' }
  const { code, stdout } = await emulator.run('bankapi mcp --env sandbox', { env })
  expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
})

it('an argument of 10 MB is refused in a sentence, and the next call works', async () => {
  const assistant = await open()
  const refused = await assistant.result('find_clients', { text: 'x'.repeat(10_000_000) })
  expect(refused).toMatchObject({ isError: true })
  expect(JSON.stringify(refused).length).toBeLessThan(20_000)
  expect(await assistant.call('find_clients', { text: 'demo' })).toMatchObject({
    clients: [{ id: 'cli_demo' }],
  })
})

it('a field that no tool has is refused, and says which', async () => {
  const assistant = await open()
  const refused = await assistant.result('find_clients', { txt: 'demo' })
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('txt') }] })
})

it('stdout is pure protocol with --debug, and stdin’s end ends it with exit code 0', async () => {
  const child = spawn(process.execPath, [bin, 'mcp', '--debug'], {
    env: emulator.shell.env,
    cwd: emulator.shell.folder,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    if (stdout.includes('"id":2')) child.stdin.end()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const lines = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'find_clients', arguments: {} } },
  ]
  child.stdin.write('this is no protocol\n{"secret":"of a client"}\n')
  for (const line of lines) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`)
  const [code] = await once(child, 'close')
  expect(code).toBe(0)
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
  expect(stderr).toMatch(/--> GET http\S*\/clients/)
  expect(stderr).toContain('a line on stdin is no message of the protocol')
  expect(stderr).not.toContain('secret')
  expect(stderr).not.toMatch(/sk_test_[0-9a-f]{8}/)
})

it('SIGTERM ends it at once', async () => {
  const assistant = await open()
  await assistant.call('find_clients')
  const { pid } = assistant.transport
  const closed = new Promise<void>((resolve) => {
    assistant.client.onclose = resolve
  })
  process.kill(pid as number, 'SIGTERM')
  await closed
})
