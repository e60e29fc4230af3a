import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('any request can be sent, with the key and the exit codes of the other commands', async () => {
  expect(
    await emulator.transcript(
      'bankapi api GET /clients -F limit=1 --jq .data[0].name',
      'bankapi api GET v3/clients/nope',
      "bankapi api POST /clients -F name=Ada -F external_id=user-7 --jq '[.name, .external_id]'",
      'printf \'{"name":"Eve"}\' | bankapi api post /v3/clients --input - --jq .name',
      'bankapi api DELETE /settings/redirect-urls',
      'bankapi api GET https://elsewhere.example/v3/clients',
      'bankapi api GET /../clients',
      "bankapi api GET /clients -H 'Authorization: Bearer other'",
      'bankapi api GET /clients -F nameonly',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi api GET /clients -F limit=1 --jq .data[0].name
    Zoë Núñez
    $ bankapi api GET v3/clients/nope
    2> Error: No such path. (not_found)
    2> Try: Check the id, the Client and the environment: what belongs to another one reads as not found
    2> Docs: http://127.0.0.1:PORT/errors/not_found
    2> Trace id: UUID
    [exit 5]
    $ bankapi api POST /clients -F name=Ada -F external_id=user-7 --jq '[.name, .external_id]'
    ["Ada","user-7"]
    $ printf '{"name":"Eve"}' | bankapi api post /v3/clients --input - --jq .name
    Eve
    $ bankapi api DELETE /settings/redirect-urls
    $ bankapi api GET https://elsewhere.example/v3/clients
    2> Error: That address is not at http://127.0.0.1:PORT [path] (other_origin)
    2> Try: Give the path alone: /accounts. Another service: --base-url
    [exit 2]
    $ bankapi api GET /../clients
    2> Error: "/../clients" is not a path of the API: every part between two slashes must be plain, and not . or .. (invalid_path)
    2> Try: Give it like /accounts or /v3/accounts
    [exit 2]
    $ bankapi api GET /clients -H 'Authorization: Bearer other'
    2> Error: Authorization is set by bankapi itself (invalid_header)
    2> Try: Another key: bankapi login, or BANKAPI_API_KEY
    [exit 2]
    $ bankapi api GET /clients -F nameonly
    2> Error: "nameonly" is not a field (usage)
    2> Try: Write it like -F name=value
    [exit 2]
    "
  `)
})

it('a field that looks like a number is sent as one, which the service may refuse (exit 7)', async () => {
  const { code, stderr } = await emulator.run('bankapi api POST /clients -F external_id=7 --json')
  expect(code).toBe(7)
  const { error } = JSON.parse(stderr)
  expect(error).toMatchObject({ code: 'validation_failed', param: 'external_id', http_status: 400 })
  expect(error.errors).toMatchObject([{ param: 'external_id', code: 'invalid_type' }])
})

it('--paginate merges all pages into one', async () => {
  const api = 'bankapi api GET /accounts/acc_FDE_12301/transactions -F client_id=cli_demo'
  const all = JSON.parse(await emulator.text(`${api} -F limit=20 --paginate`))
  const list = JSON.parse(await emulator.text('bankapi transactions list acc_FDE_12301 --all --json'))
  expect(all).toEqual(list)
})

it('a file is written to a pipe as bytes', async () => {
  const id = await emulator.text("bankapi statements list acc_FDE_12301 --limit 1 --jq '.data[].id'")
  const path = `/statements/${id}/download`
  const { stdout } = await emulator.run(`bankapi api GET ${path} -F client_id=cli_demo | head -c 5`)
  expect(stdout).toBe('%PDF-')
})

it('a file is never written to a terminal (exit 2)', async () => {
  const id = await emulator.text("bankapi statements list acc_FDE_12301 --limit 1 --jq '.data[].id'")
  const { code, screen } = await emulator.open(
    `bankapi api GET /statements/${id}/download -F client_id=cli_demo`,
  ).ended
  expect(code).toBe(2)
  expect(screen).not.toContain('%PDF')
})
