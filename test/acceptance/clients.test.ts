import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('a Client is created, listed, and found again by the external id', async () => {
  expect(
    await emulator.transcript(
      "bankapi clients create --name 'Ada Lovelace' --email ada@example.com --external-id user-42",
      'bankapi clients list --columns name,email,external_id',
      'bankapi clients list --jq \'.data[] | select(.external_id == "user-42") | .name\'',
      'bankapi clients list --all -o csv --columns external_id,name',
      "bankapi clients list --all -o ndjson | jq -r '.name' 2>/dev/null || bankapi clients list --jq '.data[].name'",
      'bankapi clients list --limit 1 --jq .has_more',
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
    $ bankapi clients list --all -o ndjson | jq -r '.name' 2>/dev/null || bankapi clients list --jq '.data[].name'
    Zoë Núñez
    Ada Lovelace
    $ bankapi clients list --limit 1 --jq .has_more
    true
    2> There is more: --all, or --cursor 60qT3tRIy7p4kdPoAAAAAAAAAAE
    "
  `)
})

it('two equal calls create two Clients, since the service ignores Idempotency-Key here', async () => {
  await emulator.text(
    'bankapi clients create --external-id twin && bankapi clients create --external-id twin',
  )
  expect(
    await emulator.text(
      'bankapi clients list --all --jq \'[.data[] | select(.external_id == "twin")] | length\'',
    ),
  ).toBe('2')
})

it('on a terminal a list is a table, and says when there is more', async () => {
  await emulator.text('bankapi clients create')
  expect(await emulator.screen('bankapi clients list --limit 1')).toMatchInlineSnapshot(`
    "
    $ bankapi clients list --limit 1
    ID        NAME       EMAIL                   EXTERNAL ID  CREATED
    cli_demo  Zoë Núñez  zoe.nunez@mail.example  demo-1       TIME  AGE
    There is more: --all, or --cursor 60qT3tRIy7p4kdPoAAAAAAAAAAE
    "
  `)
})
