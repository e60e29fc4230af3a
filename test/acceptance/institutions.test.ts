import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('the catalog is searched by name, without a Client', async () => {
  expect(
    await emulator.transcript(
      'bankapi institutions search fir',
      'bankapi institutions get ins_fde_desktop',
      "bankapi institutions search birch --jq '.data | length'",
      'bankapi institutions search nowhere',
      'bankapi institutions get ins_nowhere --json',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi institutions search fir
    ins_fde_ok	First Fir Bank	false
    ins_fde_mfa	First Fir Bank (asks a security question)	false
    ins_fde_refused	First Fir Bank (refuses the refresh)	false
    ins_fde_desktop	First Fir Bank (needs the desktop app)	true
    ins_fde_choice	First Fir Bank (asks for the desktop app route)	true
    $ bankapi institutions get ins_fde_desktop
    id:	ins_fde_desktop
    name:	First Fir Bank (needs the desktop app)
    logo_url:	https://logos.example/ins_fde_desktop.svg
    requires_desktop_app:	true
    $ bankapi institutions search birch --jq '.data | length'
    6
    $ bankapi institutions search nowhere
    2> No institution's name contains "nowhere".
    $ bankapi institutions get ins_nowhere --json
    2> {"error":{"code":"not_found","message":"There is no ins_nowhere for this customer in local","service_message":"No such institution.","type":"invalid_request_error","category":"INVALID_REQUEST_ERROR","trace_id":"UUID","doc_url":"http://127.0.0.1:PORT/errors/not_found","hint":"Check the id, the Client and the environment: what belongs to another one reads as not found","http_status":404,"exit_code":5}}
    [exit 5]
    "
  `)
  expect(await emulator.screen('bankapi institutions search birch', { columns: 60 })).toMatchInlineSnapshot(`
    "
    $ bankapi institutions search birch
    ID             NAME                              DESKTOP APP
    ins_b_ok       Birch Savings                     -
    ins_b_denied   Birch Savings (denies the sign-…  -
    ins_b_locked   Birch Savings (locks the accoun…  -
    ins_b_closed   Birch Savings (closes the login)  -
    ins_b_partial  Birch Savings (one account fail…  -
    ins_b_flaky    Birch Savings (fails, then reco…  -
    "
  `)
})

it('institutions sandbox lists test institutions, and refuses a live key (exit 4)', async () => {
  const { base_url, api_key } = emulator.home.live
  expect(await emulator.transcript('bankapi institutions sandbox | head -3')).toMatchInlineSnapshot(`
    "
    $ bankapi institutions sandbox | head -3
    ins_a_ok	Alder Bank	
    ins_a_mfa	Alder Bank (asks a security question)	
    ins_a_silent	Alder Bank (never reports)	
    "
  `)
  const { code, stderr } = await emulator.run('bankapi institutions sandbox', {
    env: { BANKAPI_ENV: 'live', BANKAPI_BASE_URL: base_url, BANKAPI_API_KEY: api_key },
  })
  expect(code).toBe(4)
  expect(stderr).toContain('Trace id:')
})
