import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('the catalog is searched by name, without a Client', async () => {
  expect(
    await emulator.transcript(
      'bankapi institutions search union',
      'bankapi institutions get ins_fde_desktop',
      "bankapi institutions search nwa --jq '.data | length'",
      'bankapi institutions search nowhere',
      'bankapi institutions get ins_nowhere --json',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi institutions search union
    ins_fernhill_credit_union	Fernhill Credit Union	
    ins_marigold_credit_union	Marigold Credit Union	
    ins_oakhurst_teachers_credit_union	Oakhurst Teachers Credit Union	
    ins_tres_alamos_credit_union	Tres Álamos Credit Union	
    $ bankapi institutions get ins_fde_desktop
    id:	ins_fde_desktop
    name:	First Fir Mutual
    logo_url:	https://logos.example/ins_fde_desktop.svg
    requires_desktop_app:	true
    $ bankapi institutions search nwa --jq '.data | length'
    0
    2> No institution's name contains "nwa".
    $ bankapi institutions search nowhere
    2> No institution's name contains "nowhere".
    $ bankapi institutions get ins_nowhere --json
    2> {"error":{"code":"not_found","message":"There is no ins_nowhere for this customer in local","service_message":"No such institution.","type":"invalid_request_error","category":"INVALID_REQUEST_ERROR","trace_id":"UUID","doc_url":"http://127.0.0.1:PORT/errors/not_found","hint":"Check the id, the Client and the environment: what belongs to another one reads as not found","http_status":404,"exit_code":5}}
    [exit 5]
    "
  `)
  expect(await emulator.screen('bankapi institutions search bridge', { columns: 60 })).toMatchInlineSnapshot(`
    "
    $ bankapi institutions search bridge
    ID                      NAME                DESKTOP APP
    ins_ironbridge_federal  Ironbridge Federal  -
    "
  `)
})

it('institutions sandbox lists test institutions, and refuses a live key (exit 4)', async () => {
  const { base_url, api_key } = emulator.home.live
  expect(await emulator.transcript('bankapi institutions sandbox | head -3')).toMatchInlineSnapshot(`
    "
    $ bankapi institutions sandbox | head -3
    ins_a_ok	Alder Bank	
    ins_a_mfa	Alder Trust	
    ins_a_silent	Alder Savings	
    "
  `)
  const { code, stderr } = await emulator.run('bankapi institutions sandbox', {
    env: { BANKAPI_ENV: 'live', BANKAPI_BASE_URL: base_url, BANKAPI_API_KEY: api_key },
  })
  expect(code).toBe(4)
  expect(stderr).toContain('Trace id:')
})
