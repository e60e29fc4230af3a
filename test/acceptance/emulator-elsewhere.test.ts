import { expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { createEmulatorHome, emulatorHome } from '../support/emulator-process.ts'

const there = emulatorHome()
const origin = (): string => new URL(there.sandbox.base_url).origin

it('local is the emulator that BANKAPI_EMULATOR names: no key, no login, and its controls', async () => {
  const here = createHome({ env: { BANKAPI_EMULATOR: origin(), BANKAPI_CLIENT_ID: 'cli_demo' } })
  const listed = await here.run(['connections', 'list', '--jq', '.data[0].id'])
  expect(listed).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^con_/),
    stderr: expect.stringContaining(
      'local: an emulator is in BANKAPI_EMULATOR, and nothing else is configured',
    ),
  })
  expect(await here.json(['whoami'])).toMatchObject({
    environment: 'local',
    key_source: 'emulator',
    base_url: there.sandbox.base_url,
    accepted: true,
  })
  const { code } = await here.run(['emulator', 'trigger', 'connection.failed', '--connection', 'con_FDE_123'])
  expect(code).toBe(0)
  expect(await here.json(['connections', 'get', 'con_FDE_123'])).toMatchObject({ status: 'failed' })
  const live = ['clients', 'list', '--env', 'local', '--base-url', there.live.base_url, '--jq', '.data[0].id']
  expect(await here.run(live)).toMatchObject({ code: 0, stdout: 'cli_demo\n' })
  expect((await here.run(['doctor'])).stdout).toContain(`local is the emulator at ${origin()}`)
})

it('a listener elsewhere subscribes at it, and gets its deliveries', async () => {
  const here = createHome({ env: { BANKAPI_EMULATOR: origin(), BANKAPI_ENV: 'local' } })
  const listener = here.start(['webhooks', 'listen', '--port', '0', '--json'])
  await listener.line((line) => line.includes('"ready"'))
  await here.run(['emulator', 'trigger', 'connection.failed', '--connection', 'con_FDE_123'])
  expect(await listener.line((line) => line.includes('connection.failed'))).toContain('"verified":true')
})

it('one that does not answer is named, and nothing else is tried (exit 11)', async () => {
  const here = createHome({ env: { BANKAPI_EMULATOR: 'http://127.0.0.1:9', BANKAPI_ENV: 'local' } })
  for (const args of [
    ['clients', 'list'],
    ['emulator', 'status'],
  ]) {
    const { code, stderr } = await here.run(args)
    expect(code).toBe(11)
    expect(stderr).toContain('The emulator at http://127.0.0.1:9 (BANKAPI_EMULATOR) does not answer')
  }
})

it('one on the internet is refused, as it would be called in the clear', async () => {
  const here = createHome({ env: { BANKAPI_EMULATOR: 'http://emulator.example.com:4010' } })
  const { code, stderr } = await here.run(['clients', 'list'])
  expect(code).toBe(2)
  expect(stderr).toContain('The address in BANKAPI_EMULATOR is not https')
})

it('--host beyond this machine says who can use it; links begin with --public-host', async () => {
  const wide = await createEmulatorHome(['--host', '0.0.0.0', '--public-host', 'emulator'])
  try {
    expect(wide.sandbox.base_url).toMatch(/^http:\/\/emulator:\d+\/v3$/)
    expect(wide.emulator.stderr()).toContain('can read and change everything in it, its keys included')
    const { stdout } = await wide.run(['emulator', 'status', '--jq', '.pid'])
    expect(Number(stdout)).toBe(wide.emulator.process.pid)
  } finally {
    await wide.remove()
  }
})

it.each([
  [['--host', 'everywhere'], 2, '"everywhere" is not an IP address'],
  [['--host', '203.0.113.9'], 2, '203.0.113.9 is no address of this machine'],
  [['--public-host', 'emulator:4010'], 2, '"emulator:4010" is not the name of a host'],
  [['--public-host', 'http://emulator'], 2, '"http://emulator" is not the name of a host'],
])('emulator start %o is refused', async (flags, code, sentence) => {
  const home = createHome()
  const run = await home.run(['emulator', 'start', '--memory', '--port', '0', '--live-port', '0', ...flags])
  expect(run).toMatchObject({ code, stderr: expect.stringContaining(sentence) })
})
