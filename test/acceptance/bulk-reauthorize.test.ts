import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { hostileServer } from '../support/hostile-server.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()
const [a, b, fde] = ['con_AGGREGATOR_A_1001', 'con_AGGREGATOR_B_2001', 'con_FDE_123']

/** A and B wait for their user; FDE for its bank. */
beforeEach(async () => {
  const trigger = 'bankapi emulator trigger connection.requires_action --connection'
  await emulator.text(`${trigger} ${a}`)
  await emulator.text(`${trigger} ${b}`)
  await emulator.text(`${trigger} ${fde} --set code=account_locked_by_institution`)
})

const file = (name: string) => join(emulator.shell.folder, name)
const reauthorize = async (rest: string, env: Record<string, string> = {}) => {
  const run = await emulator.run(`bankapi connections reauthorize ${rest} --json`, { env })
  return { ...run, rows: run.code === 0 || run.code === 9 ? JSON.parse(run.stdout).data : [] }
}
const outcomes = (rows: readonly { readonly outcome: string }[]) => rows.map(({ outcome }) => outcome)
const linksIn = (name: string) => readFileSync(file(name), 'utf8').match(/http:\S+?(?=,)/g) ?? []

it('links go to a file that only its owner can read, with what a mail merge needs, and not to the screen', async () => {
  const run = await emulator.run(`bankapi connections reauthorize ${a} ${b} --to links.csv --yes`)
  expect(run.code, run.stderr).toBe(0)
  expect(statSync(file('links.csv')).mode & 0o777).toBe(0o600)
  const [header, ...rows] = readFileSync(file('links.csv'), 'utf8').trim().split('\n')
  expect(header).toBe(
    'client_id,client_external_id,email,name,connection_id,institution_name,link,expires_at',
  )
  const client = JSON.parse(await emulator.text('bankapi clients list --json')).data[0]
  expect(rows.sort()).toEqual([
    expect.stringMatching(
      `^${client.id},${client.external_id ?? ''},${client.email},.*${a},.*,http://.*/reauthorize/.*Z$`,
    ),
    expect.stringContaining(b),
  ])
  for (const link of linksIn('links.csv')) expect(run.stdout + run.stderr).not.toContain(link)
  expect(linksIn('links.csv')).toHaveLength(2)
})

it('only those that their user can repair get one; the others are skipped, with the reason', async () => {
  await emulator.text(`bankapi emulator trigger connection.active --connection ${b}`)
  const { rows } = await reauthorize(`${a} ${b} ${fde} --to links.csv --yes`)
  expect(outcomes(rows)).toEqual(['made', 'skipped', 'skipped'])
  expect(rows[1].message).toBe('it works')
  expect(rows[2].message).toContain('the bank locked the account')
  expect(linksIn('links.csv')).toHaveLength(1)
})

it('a second run makes no second link: without a keychain it says where the first one is', async () => {
  expect(outcomes((await reauthorize(`${a} --to one.csv --yes`)).rows)).toEqual(['made'])
  const { rows } = await reauthorize(`${a} ${b} --to two.csv --yes`)
  expect(outcomes(rows)).toEqual(['skipped', 'made'])
  expect(rows[0].message).toContain(file('one.csv'))
  expect(readFileSync(join(emulator.home.folder, 'data', 'reauthorize-links.json'), 'utf8')).not.toContain(
    'http',
  )
})

it('where secrets are stored, the same link is written again', async () => {
  const { base_url, api_key } = emulator.home.sandbox
  const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: base_url }
  await emulator.text('bankapi login --key-stdin --insecure-storage', { env, input: api_key })
  await reauthorize(`${a} --to one.csv --yes`, env)
  const { rows } = await reauthorize(`${a} ${b} --to two.csv --yes`, env)
  expect(outcomes(rows)).toEqual(['reused', 'made'])
  expect(linksIn('two.csv')).toContain(linksIn('one.csv')[0])
})

it('it asks once, with the number; without an answer no link is made and no file is there (exit 2)', async () => {
  const { code, stderr } = await reauthorize(`${a} ${b} ${fde} --to links.csv`)
  expect(code).toBe(2)
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'confirmation_missing',
    message: expect.stringContaining('Make 2 links'),
  })
  expect(existsSync(file('links.csv'))).toBe(false)
  const terminal = emulator.open(`bankapi connections reauthorize ${a} ${b} --to links.csv`)
  await terminal.sees('Make 2 links')
  terminal.type('y\r')
  const { code: ended, screen } = await terminal.ended
  expect(ended, screen).toBe(0)
  expect(screen.match(/Make 2 links/g)).toHaveLength(1)
  expect(screen).not.toContain('/reauthorize/')
})

it('a file that is there is never replaced, and no link is made (exit 2)', async () => {
  await emulator.text('echo mine > links.csv')
  const { code } = await reauthorize(`${a} ${b} --to links.csv --yes`)
  expect([code, readFileSync(file('links.csv'), 'utf8')]).toEqual([2, 'mine\n'])
  expect(outcomes((await reauthorize(`${a} ${b} --to other.csv --yes`)).rows)).toEqual(['made', 'made'])
})

it.each([
  [`${a} ${b}`, '--to'],
  ['--all-clients --to links.csv', 'all-clients'],
  [`${a} --left left.txt`, '--to'],
  [`${a} --keep-going`, '--to'],
  [`${a} ${b} --to ''`, '--to is empty'],
  ['', 'Which Connection'],
])('%s is refused before anything is sent (exit 2)', async (line, said) => {
  const { code, stderr } = await reauthorize(line)
  expect(code).toBe(2)
  expect(stderr).toContain(said)
})

it('one whose answer was lost is unknown, not left, and not asked for again (exit 9)', async () => {
  await emulator.text(`bankapi emulator faults add 'POST /connections/${a}/reauthorize' --drop --times 1`)
  const { code, rows } = await reauthorize(`${a} ${b} --to links.csv --yes --keep-going --left left.txt`)
  expect([code, ...outcomes(rows)]).toEqual([9, 'unknown', 'made'])
  expect(readFileSync(file('left.txt'), 'utf8')).toBe('')
  // It may have been made, so the next run makes none, nor does one for it alone.
  const again = await reauthorize(`${a} --to again.csv --yes`)
  expect(outcomes(again.rows)).toEqual(['skipped'])
  expect(again.rows[0].message).toMatch(/^a link may have been made at \d{4}-.*; --new makes another$/)
  expect(again.stderr).toContain('1: 1 skipped. Why: a link may have been made, --new makes another (1).')
  expect(await linkExists(a)).toContain('a link may have been made at')
  expect(outcomes((await reauthorize(`${a} --to new.csv --new --yes`)).rows)).toEqual(['made'])
})

/** What the refusal of a second link says. */
async function linkExists(id: string): Promise<string> {
  const { code, stdout, stderr } = await reauthorize(`${id} --yes`)
  expect([code, stdout]).toEqual([2, ''])
  const { error } = JSON.parse(stderr)
  expect(error).toMatchObject({ code: 'link_exists', hint: expect.stringContaining('--new') })
  return error.message
}

it('one that was killed before its answer is unknown to the next run; what was refused is not', async () => {
  const env = (baseUrl: string) => ({
    BANKAPI_ENV: 'sandbox',
    BANKAPI_BASE_URL: baseUrl,
    BANKAPI_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef01234567',
  })
  const silent = await hostileServer(() => {})
  const home = createHome({ env: env(silent.baseUrl) })
  const killed = home.start(['connections', 'reauthorize', a, '--yes'])
  await until(() => silent.requests.length === 1, 'its request')
  killed.process.kill('SIGKILL')
  await killed.ended
  const { code, stderr } = await home.run(['connections', 'reauthorize', a, '--yes'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('a link may have been made at')])
  expect(silent.requests).toHaveLength(1)

  const refused = await reauthorize('con_FDE_999 --yes')
  expect(refused.code).toBe(5)
  expect((await reauthorize('con_FDE_999 --yes')).code).toBe(5)
})

it('one alone is not made while a file has its link, until --new; nor is it after the file is gone', async () => {
  await reauthorize(`${a} --to one.csv --yes`)
  expect(await linkExists(a)).toContain(`its link in ${file('one.csv')} is valid until 20`)
  rmSync(file('one.csv'))
  expect(await linkExists(a)).toContain(`was in ${file('one.csv')}, which is not there any more`)
  const { rows, stderr } = await reauthorize(`${a} --to two.csv --yes`)
  expect(rows[0].message).toMatch(/is not there any more; --new makes another$/)
  expect(stderr).toContain('Why: the file of its link is not there any more, --new makes another (1).')
  const made = await emulator.run(`bankapi connections reauthorize ${a} --new --yes --json`)
  expect(JSON.parse(made.stdout).action.reauth_url).toMatch(/^http/)
})

it('--new makes second links, and says how many when it asks', async () => {
  await reauthorize(`${a} --to one.csv --yes`)
  const { code, stderr } = await reauthorize(`${a} ${b} --to two.csv --new`)
  expect(code).toBe(2)
  expect(stderr).toContain('Make 2 links')
  expect(stderr).toContain('(1 of them a second one, while the first may be valid)')
  expect(outcomes((await reauthorize(`${a} ${b} --to two.csv --new --yes`)).rows)).toEqual(['made', 'made'])
  expect(linksIn('two.csv')).not.toContain(linksIn('one.csv')[0])
})

it('after a reset of the emulator nothing is known of its links', async () => {
  await reauthorize(`${a} --to one.csv --yes`)
  await emulator.text('bankapi emulator reset --yes')
  await emulator.text(`bankapi emulator trigger connection.requires_action --connection ${a}`)
  expect(outcomes((await reauthorize(`${a} --to two.csv --yes`)).rows)).toEqual(['made'])
})
