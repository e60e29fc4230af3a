import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('health needs no key', async () => {
  const { base_url } = emulator.home.sandbox
  const env = {
    BANKAPI_ENV: 'sandbox',
    BANKAPI_BASE_URL: base_url,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  }
  const { code, stdout } = await emulator.run('bankapi health --json', { env })
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { status: 'ok', base_url }])
})

it('a service that is down is exit code 11, in a sentence with its address', async () => {
  const { code, stderr } = await emulator.run('bankapi health --base-url http://127.0.0.1:1/v3')
  expect(code).toBe(11)
  expect(stderr).toContain('http://127.0.0.1:1')
})
