import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('a verification report is generated and waited for', async () => {
  const operation = JSON.parse(await emulator.text('bankapi reports generate --wait --json'))
  expect(operation).toMatchObject({ id: expect.stringMatching(/^op_/), status: 'succeeded' })
  expect(await emulator.text('bankapi operations list --columns subject,status')).toBe('cli_demo\tsucceeded')
})

it('people see the accounts of the report with their balances, with --wait and afterwards', async () => {
  const shown = await emulator.screen('bankapi reports generate --wait')
  expect(shown).toMatch(/^accounts:$/m)
  const accounts = await emulator.text('bankapi accounts list --columns id,current_balance')
  const ungrouped = shown.replaceAll(/(\d),(?=\d{3})/g, '$1')
  for (const line of accounts.split('\n')) {
    const [id = '', balance = ''] = line.split('\t')
    expect(ungrouped).toMatch(new RegExp(`^${id} .* ${balance}`, 'm'))
  }
  const id = await emulator.text('bankapi operations list --limit 1 --columns id')
  expect(await emulator.text(`bankapi operations get ${id}`)).toContain('acc_FDE_12301\t')
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
