/** `bankapi mcp --connector`, as an assistant starts it, against the connector of the emulator. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { deadPort, json, serve } from '../api/servers.ts'
import { modern } from '../mcp/bridge.ts'
import { bin } from '../support/built-program.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { type Era, openAssistant } from '../support/mcp-client.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()
const open = (flags: readonly string[] = [], era: Era = 'modern') =>
  openAssistant({ env: emulator.shell.env, folder: emulator.shell.folder }, ['--connector', ...flags], {
    era,
  })

const call = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { ...modern, name: 'find_clients', arguments: {} },
}

/** The program with pipes, and what it wrote to them. */
function start(flags: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [bin, 'mcp', '--connector', ...flags], { env: { ...env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  let stderr = ''
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  return {
    child,
    lines,
    stderr: () => stderr,
    send: (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`),
    ended: once(child, 'close') as Promise<[number | null, string | null]>,
  }
}

it('an old client and a new one get the same tools and the same answers', async () => {
  const [legacy, current] = await Promise.all([open([], 'legacy'), open([], 'modern')])
  expect(legacy.client.getProtocolEra()).toBe('legacy')
  expect(current.client.getProtocolEra()).toBe('modern')
  const names = await current.toolNames()
  expect(names.length).toBeGreaterThan(3)
  expect(await legacy.toolNames()).toEqual(names)
  const name = names.find((one) => one.includes('institutions')) ?? ''
  const answer = await current.call(name)
  expect(JSON.stringify(answer)).toContain('Alder Bank')
  expect(await legacy.call(name)).toEqual(answer)
  expect(current.stderr() + legacy.stderr()).toBe('')
})

it('stdout has the protocol only, with --debug, which shows each request on stderr without the key', async () => {
  const { child, lines, stderr, send, ended } = start(['--debug'], emulator.shell.env)
  child.stdin.write('{ not JSON\n')
  send({ ...call, method: 'tools/list' })
  await until(() => lines.length === 2, 'both answers')
  child.stdin.end()
  expect(await ended).toEqual([0, null])
  expect(lines.map((line) => JSON.parse(line)).map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
    ['2.0', null],
    ['2.0', 1],
  ])
  expect(stderr()).toMatch(/^A line on stdin is not JSON in UTF-8$/m)
  expect(stderr()).toMatch(/^--> POST http:\/\/127\.0\.0\.1:\d+\/mcp tools\/list$/m)
  expect(stderr()).not.toMatch(/sk_test_\w/)
})

it('live data needs --env live on the command line', async () => {
  const refused = await emulator.run('bankapi mcp --connector', {
    env: { BANKAPI_ENV: 'live', BANKAPI_BASE_URL: emulator.home.live.base_url },
  })
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toContain('bankapi mcp --env live --connector')
  expect(await emulator.run('bankapi mcp --connector --allow refresh')).toMatchObject({ code: 2 })
})

it('a key that the service refuses is said on stderr, and to the assistant', async () => {
  const env = { ...emulator.shell.env, BANKAPI_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef' }
  const { child, lines, stderr, send, ended } = start([], env)
  send(call)
  await until(() => lines.length === 1, 'an answer')
  child.stdin.end()
  await ended
  const { error } = JSON.parse(lines[0] ?? '')
  expect(error.message).toMatch(
    /^The service refused the API key \(.*\)\..* Store another one: bankapi login$/,
  )
  expect(stderr()).toBe(`${error.message}\n`)
})

it('a service that does not run, and one without a connector, are said', async () => {
  const other = await serve((_, response) => json(response, 404, {}))
  for (const [port, sentence] of [
    [await deadPort(), 'Nothing answers at ORIGIN: the connection was refused'],
    [other.port, 'The service has no connector at ORIGIN/mcp (HTTP status 404)'],
  ] as const) {
    const origin = `http://127.0.0.1:${port}`
    const { child, lines, send } = start(['--base-url', `${origin}/v3`], {
      ...emulator.shell.env,
      BANKAPI_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef',
    })
    send(call)
    await until(() => lines.length === 1, 'an answer')
    child.stdin.end()
    expect(JSON.parse(lines[0] ?? '').error.message).toContain(sentence.replace('ORIGIN', origin))
  }
})

it.each(['SIGTERM', 'SIGINT', 'stdin'])(
  '%s ends the process at once, with a request under way',
  async (how) => {
    const silent = await serve(() => {})
    const { child, lines, stderr, send, ended } = start(['--base-url', silent.baseUrl], {
      ...emulator.shell.env,
      BANKAPI_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef',
    })
    send(call)
    await until(() => silent.heard.length === 1, 'the request arrived')
    const began = performance.now()
    if (how === 'stdin') child.stdin.end()
    else child.kill(how as NodeJS.Signals)
    expect(await ended).toEqual([0, null])
    expect(performance.now() - began).toBeLessThan(5000)
    expect([lines, stderr()]).toEqual([[], ''])
  },
)
