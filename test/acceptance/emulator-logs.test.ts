import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('emulator logs shows the requests it answered; --failed those that failed, --bodies what was said', async () => {
  await emulator.text('bankapi clients create --name Ada')
  expect((await emulator.run('bankapi connections get con_FDE_9')).code).toBe(5)
  const shown = await emulator.transcript(
    'bankapi emulator logs --columns method,path,status,error_code',
    'bankapi emulator logs --failed --columns path,error_code',
    'bankapi emulator logs --limit 1 --columns status',
    'bankapi emulator logs --limit 1 --jq .has_more',
  )
  expect(shown).toMatchInlineSnapshot(`
    "
    $ bankapi emulator logs --columns method,path,status,error_code
    POST	/v3/clients	201	
    GET	/v3/connections/con_FDE_9	404	not_found
    $ bankapi emulator logs --failed --columns path,error_code
    /v3/connections/con_FDE_9	not_found
    $ bankapi emulator logs --limit 1 --columns status
    404
    2> There is more: --limit 10
    $ bankapi emulator logs --limit 1 --jq .has_more
    true
    2> There is more: --limit 10
    "
  `)
  const bodies = await emulator.text('bankapi emulator logs --bodies')
  expect(bodies).toMatch(
    /^\d\d:\d\d:\d\d POST \/v3\/clients -> 201 \d+ms {2}sk_test_\w{4} {2}[0-9a-f-]{36}$/m,
  )
  expect(bodies).toContain('\n  --> {"name":"Ada"')
  expect(bodies).toContain('\n  <-- {"error":{"code":"not_found"')
  expect(bodies).not.toContain(emulator.home.sandbox.api_key)
})

it('-o csv and -o ndjson show all of them, other formats the latest 100', async () => {
  const { base_url, api_key } = emulator.home.sandbox
  const headers = { authorization: `Bearer ${api_key}` }
  for (let sent = 0; sent < 101; sent += 1) await (await fetch(`${base_url}/clients`, { headers })).text()
  const lines = async (flags: string) =>
    (await emulator.text(`bankapi emulator logs ${flags} --columns path`)).trim().split('\n')
  expect(await lines('-o csv')).toHaveLength(102)
  expect(await lines('-o ndjson')).toHaveLength(101)
  expect(await lines('')).toHaveLength(100)
})

it('on a terminal it is a table', async () => {
  await emulator.text('bankapi clients list')
  const screen = await emulator.screen('bankapi emulator logs')
  expect(screen).toMatch(/^METHOD +PATH +STATUS|^TIME +METHOD +PATH +STATUS/m)
  expect(screen).toMatch(/GET +\/v3\/clients.* 200/)
})

it('without a request it says so; without an emulator it is exit 11', async () => {
  const none = await emulator.run('bankapi emulator logs --failed')
  expect([none.code, none.stdout, none.stderr]).toEqual([0, '', 'No such request so far\n'])
  const elsewhere = { BANKAPI_DATA_DIR: `${emulator.shell.folder}/empty` }
  expect((await emulator.run('bankapi emulator logs', { env: elsewhere })).code).toBe(11)
})

it('--follow goes on with each new request until it is stopped (130); with --json one object per line', async () => {
  const all = emulator.home.start(['emulator', 'logs', '--follow'])
  const failed = emulator.home.start(['emulator', 'logs', '--follow', '--failed', '--json'])
  await emulator.text('bankapi clients list')
  await emulator.run('bankapi connections get con_FDE_9')
  await emulator.run('bankapi connections get con_FDE_8')
  await all.line((line) => line.includes('con_FDE_8'))
  expect(
    all
      .stdout()
      .trim()
      .split('\n')
      .map((line) => line.replace(/^\S+ | \d+ms.*$/g, '')),
  ).toEqual([
    'GET /v3/clients -> 200',
    'GET /v3/connections/con_FDE_9 -> 404',
    'GET /v3/connections/con_FDE_8 -> 404',
  ])
  await failed.line((line) => line.includes('con_FDE_8'))
  const objects = failed
    .stdout()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(objects.map(({ path, error_code }) => [path, error_code])).toEqual([
    ['/v3/connections/con_FDE_9', 'not_found'],
    ['/v3/connections/con_FDE_8', 'not_found'],
  ])
  for (const following of [all, failed]) {
    following.process.kill('SIGINT')
    expect((await following.ended).code).toBe(130)
  }
})
