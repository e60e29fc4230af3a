import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()
const run = (line: string) => emulator.run(`bankapi ${line}`)

it('--quiet leaves out hints and notes, on stderr alone', async () => {
  for (const line of [
    'webhooks events',
    'keys create --scopes read:clients',
    'checks list acc_AGGREGATOR_A_100101',
  ]) {
    const [loud, quiet] = [await run(line), await run(`${line} --quiet`)]
    const short = await run(`${line} -q`)
    expect([line, loud.code, quiet.code, quiet.stderr, short.stderr]).toEqual([
      line,
      loud.code,
      loud.code,
      '',
      '',
    ])
  }
  expect((await run('webhooks events')).stderr).not.toBe('')
  const { stdout, stderr } = await run('connections list --quiet --json')
  expect(JSON.parse(stdout).data).toHaveLength(3)
  expect(stderr).toBe('')
})

it('errors stay, whole, and so do warnings and what --debug asks for', async () => {
  const line = 'connections get con_FDE_999'
  const [loud, quiet] = [await run(line), await run(`${line} --quiet`)]
  const stable = (text: string) => text.replaceAll(/Trace id: .*/g, '')
  expect(stable(quiet.stderr)).toBe(stable(loud.stderr))
  expect(quiet.stderr).toContain('Try: ')
  expect((await run(`${line} --quiet --json`)).stderr).toContain('"code":"not_found"')
  expect((await run('health --quiet --debug')).stderr).toContain('GET ')
  // An operation that cannot be noted is a warning.
  await run('config set inbox.at postgres://nobody@127.0.0.1:1/none')
  expect((await run('connections refresh con_FDE_123 --quiet')).stderr).toMatch(
    /^Warning: not noted in the inbox/,
  )
})

it('what a question is about stays', async () => {
  const { code, stderr } = await run('redirect-urls add https://app.example.com/a --quiet')
  expect(code).toBe(2)
  expect(stderr).toContain('+ https://app.example.com/a')
})

it('a terminal shows no progress and no banner', async () => {
  const loud = await emulator.open('bankapi connections refresh con_FDE_123 --wait').ended
  expect(loud.raw).toContain('account.refresh queued')
  const quiet = await emulator.open('bankapi connections refresh con_FDE_123 --wait --quiet').ended
  expect([quiet.code, quiet.raw.includes('queued')]).toEqual([0, false])
  const env = { BANKAPI_API_KEY: 'sk_live_0123456789abcdef' }
  const banner = 'this acts on real data'
  const live = 'bankapi webhooks events --env live'
  expect((await emulator.open(live, { env }).ended).raw).toContain(banner)
  expect((await emulator.open(`${live} --quiet`, { env }).ended).raw).not.toContain(banner)
})
