import { beforeEach, expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell(['--first-signal', '50ms'])
/** Environment of a sandbox that keeps secrets in the credentials file, so that links are remembered without a keychain. */
let sandbox: { BANKAPI_ENV: string; BANKAPI_BASE_URL: string }

beforeEach(async () => {
  const { base_url, api_key } = emulator.home.sandbox
  sandbox = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: base_url }
  const login = 'bankapi login --key-stdin --insecure-storage'
  await emulator.text(login, { env: sandbox, input: api_key })
})

const reauthorize = (rest: string) =>
  emulator.run(`bankapi connections reauthorize ${rest} --json`, { env: sandbox })
const linkIn = (stdout: string): string => JSON.parse(stdout).action.reauth_url

it('a link may be billed, so without a terminal it needs --yes (exit 2, no link is made)', async () => {
  const { code, stderr } = await reauthorize('con_FDE_123')
  expect(code).toBe(2)
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'confirmation_missing',
    message: expect.stringContaining('billed'),
    hint: expect.stringContaining('--yes'),
  })
})

it('a valid link is returned again without asking; --new makes a second one', async () => {
  const first = await reauthorize('con_FDE_123 --yes')
  expect(first.code, first.stderr).toBe(0)
  const again = await reauthorize('con_FDE_123')
  expect([again.code, linkIn(again.stdout)]).toEqual([0, linkIn(first.stdout)])
  expect(again.stderr).toContain('made before and is still valid')

  expect((await reauthorize('con_FDE_123 --new')).code).toBe(2)
  const second = await reauthorize('con_FDE_123 --new --yes')
  expect(linkIn(second.stdout)).not.toBe(linkIn(first.stdout))
  const now = await reauthorize('con_FDE_123')
  expect(linkIn(now.stdout)).toBe(linkIn(second.stdout))
})

it('on a terminal it asks first, and shows how long the link is valid', async () => {
  const terminal = emulator.open('bankapi connections reauthorize con_AGGREGATOR_B_2001 --utc', {
    env: sandbox,
  })
  await terminal.sees('may be billed')
  terminal.type('y\r')
  const { code, screen } = await terminal.ended
  expect(code).toBe(0)
  expect(screen).toMatch(/reauth_url:\s+http/)
  expect(screen).toMatch(/expires_at:\s+\d{4}-\d\d-\d\d/)
})

it('a bank that moved to another provider is announced: new Connection, new ids, the old one stays', async () => {
  const initiate = 'bankapi connections initiate --institution ins_a_moved --wait --jq .result.connection.id'
  const placeholder = await emulator.text(initiate)
  const id = await emulator.text(`bankapi emulator link ${placeholder} --jq .connection_id`)
  const { code, stdout, stderr } = await emulator.run(`bankapi connections reauthorize ${id} --yes --json`, {
    env: sandbox,
  })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).source).not.toBe('AGGREGATOR_A')
  expect(stderr).toMatch(
    /Warning: this bank is served by \w+ now: .*new ids.*list connections and accounts again/s,
  )
})

it('without a keychain the link is printed, with a warning that it is not remembered', async () => {
  const { code, stdout, stderr } = await emulator.run(
    'bankapi connections reauthorize con_AGGREGATOR_A_1001 --yes --json',
    { env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' } },
  )
  expect(code).toBe(0)
  expect(linkIn(stdout)).toMatch(/^http/)
  expect(stderr).toContain('not remembered')
})

it('where nothing can be noted the link is printed all the same, with a warning', async () => {
  const { code, stdout, stderr } = await emulator.run(
    'bankapi connections reauthorize con_AGGREGATOR_A_1001 --yes --json',
    { env: { ...sandbox, BANKAPI_DATA_DIR: '/dev/null/data' } },
  )
  expect(code, stderr).toBe(0)
  expect(linkIn(stdout)).toMatch(/^http/)
  expect(stderr).toContain('Warning: it cannot be noted that a link is made')
})

it('a link is a credential: --debug does not show it', async () => {
  const { stdout, stderr } = await emulator.run(
    'bankapi connections reauthorize con_FDE_123 --new --yes --debug --json',
    { env: sandbox },
  )
  expect(stderr).toContain('/reauthorize')
  expect(stderr).not.toContain(linkIn(stdout))
})
