import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('an application is filed, edited and looked up, each signed over the exact body', async () => {
  expect(
    await emulator.transcript(
      'bankapi portal access-request status --idp-user-id usr_9 --json',
      'bankapi portal live-request create --idp-user-id usr_9 --email dev@example.com --company-name Example --jq .status',
      'bankapi portal live-request update --idp-user-id usr_9 --expected-monthly-volume 5000 --jq .status',
      'bankapi portal access-request status --idp-user-id usr_9 --jq .live_status',
      'bankapi portal access-request create --idp-user-id usr_9 --email dev@example.com --jq .environment',
      'bankapi portal live-request create --email dev@example.com',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi portal access-request status --idp-user-id usr_9 --json
    {
      "sandbox_status": null,
      "live_status": null,
      "sandbox_denial_reason_code_public": null,
      "live_denial_reason_code_public": null
    }
    $ bankapi portal live-request create --idp-user-id usr_9 --email dev@example.com --company-name Example --jq .status
    PENDING
    $ bankapi portal live-request update --idp-user-id usr_9 --expected-monthly-volume 5000 --jq .status
    PENDING
    $ bankapi portal access-request status --idp-user-id usr_9 --jq .live_status
    PENDING
    $ bankapi portal access-request create --idp-user-id usr_9 --email dev@example.com --jq .environment
    SANDBOX
    $ bankapi portal live-request create --email dev@example.com
    2> Error: Whose application is it? --idp-user-id is missing (usage)
    2> Try: Give --idp-user-id and the other fields as flags, or a whole body with --input FILE
    [exit 2]
    "
  `)
})

it('email is in email format: refused with its flag before a request, as the service would with the field', async () => {
  const apply = 'bankapi portal live-request create --idp-user-id usr_11'
  const refused = await emulator.run(`${apply} --email dev.example.com`)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--email "dev.example.com"')])
  expect(refused.stderr).toContain('Try: Write it like name@example.com')
  const date = await emulator.run(`${apply} --go-live-target-date soon`)
  expect([date.code, date.stderr]).toEqual([2, expect.stringContaining('Try: Write it like 2026-01-31')])
  expect((await emulator.run(`${apply} --email dev@example.com`)).code).toBe(0)
})

it('--input sends a file unchanged: its unusual spaces are signed as they are', async () => {
  const body = '{ "idp_user_id" :\n\t"usr_10", "email": "zoë@example.com" }\n'
  const { code, stderr } = await emulator.run('bankapi portal live-request create --input -', { input: body })
  expect(code, stderr).toBe(0)
})

it('a wrong secret is refused by the service (exit 3), a missing one before a request (exit 3)', async () => {
  const status = 'bankapi portal access-request status --idp-user-id usr_9'
  const wrong = await emulator.run(status, { env: { BANKAPI_PORTAL_SECRET: 'portal_wrong' } })
  expect(wrong.code).toBe(3)
  const none = await emulator.run(status, {
    env: {
      BANKAPI_ENV: 'sandbox',
      BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    },
  })
  expect(none.code).toBe(3)
})
