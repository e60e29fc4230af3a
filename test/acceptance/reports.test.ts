import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('a verification report is generated and waited for', async () => {
  const operation = JSON.parse(await emulator.text('bankapi reports generate --wait --json'))
  expect(operation).toMatchObject({ id: expect.stringMatching(/^op_/), status: 'succeeded' })
  expect(await emulator.text('bankapi operations list --columns subject,status')).toBe('cli_demo\tsucceeded')
})

it('its path is assumed: the error for a 404 names the setting that corrects it', async () => {
  await emulator.text("bankapi config set endpoints.reports.generate 'POST /clients/{client_id}/wrong'")
  const { code, stderr } = await emulator.run('bankapi reports generate')
  expect(code).toBe(5)
  expect(stderr).toContain('POST /clients/{client_id}/wrong is an assumption')
  expect(stderr).toContain('bankapi config set endpoints.reports.generate')
  await emulator.text('bankapi config unset endpoints.reports.generate')
  expect((await emulator.run('bankapi reports generate')).code).toBe(0)
})
