import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEmulatorHome, type EmulatorHome } from '../support/emulator-process.ts'
import { createShell, type Shell } from '../support/shell.ts'
import { keys, openTerminal, runInTerminal } from '../support/terminal.ts'

let home: EmulatorHome
let shell: Shell

beforeAll(async () => {
  home = await createEmulatorHome()
  shell = createShell(home)
})
afterAll(() => home.remove())

it('a Client is created, listed and found again by the external id', async () => {
  expect(
    await shell.transcript(
      "bankapi clients create --name 'Ada Lovelace' --email ada@example.com --external-id user-42",
      'bankapi clients list --columns name,email,external_id',
      "bankapi clients list --jq '.data[] | select(.external_id == \"user-42\") | .name'",
      'bankapi clients list --all -o csv --columns external_id,name',
      'bankapi clients list --limit 1 --jq .has_more',
      'bankapi clients list -o yaml --limit 1 --jq .data',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi clients create --name 'Ada Lovelace' --email ada@example.com --external-id user-42
    id:	cli_…
    name:	Ada Lovelace
    email:	ada@example.com
    external_id:	user-42
    created_at:	TIME
    $ bankapi clients list --columns name,email,external_id
    Zoë Núñez	zoe.nunez@mail.example	demo-1
    Ada Lovelace	ada@example.com	user-42
    $ bankapi clients list --jq '.data[] | select(.external_id == "user-42") | .name'
    Ada Lovelace
    $ bankapi clients list --all -o csv --columns external_id,name
    external_id,name
    demo-1,Zoë Núñez
    user-42,Ada Lovelace
    $ bankapi clients list --limit 1 --jq .has_more
    true
    $ bankapi clients list -o yaml --limit 1 --jq .data
    2> {"error":{"code":"usage","message":"--jq prints JSON and does not go with --output yaml","exit_code":2}}
    [exit 2]
    "
  `)
  const { screen } = await runInTerminal(shell, 'bankapi clients list')
  expect(screen).toMatchInlineSnapshot(`
    "ID                    NAME          EMAIL                   EXTERNAL ID  CREATED
    cli_demo              Zoë Núñez     zoe.nunez@mail.example  demo-1       2026-08-01 09:30:00
    cli_6a8e58c0c45360c6  Ada Lovelace  ada@example.com         user-42      2026-11-20 22:47:41"
  `)
})

it('debug', async () => {
  const t = openTerminal(shell, 'bankapi connections delete con_FDE_123')
  await t.sees('Delete')
  t.type(`n${keys.enter}`)
  const { code, screen, raw } = await t.ended
  console.log(code, screen, JSON.stringify(raw))
})
