import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('accounts are listed for a Client or one Connection; PDF accounts have no Connection', async () => {
  expect(
    await emulator.transcript(
      'bankapi accounts list --connection con_FDE_123 --columns id,name,type,mask',
      "bankapi accounts list --jq '[.data[] | select(.connection_id == null) | .id]'",
      'bankapi accounts get acc_FDE_12304 --columns id',
      'bankapi accounts list --client cli_nobody',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi accounts list --connection con_FDE_123 --columns id,name,type,mask
    acc_FDE_12301	Business Checking	checking	5567
    acc_FDE_12302	Reserve Savings	savings	5575
    acc_FDE_12303	Business Card	credit_card	5583
    acc_FDE_12304	Yen Card	credit_card	5591
    $ bankapi accounts list --jq '[.data[] | select(.connection_id == null) | .id]'
    ["acc_PDF_500101"]
    $ bankapi accounts get acc_FDE_12304 --columns id
    id:	acc_FDE_12304
    $ bankapi accounts list --client cli_nobody
    2> Error: There is no cli_nobody for this customer in local (not_found)
    2> Try: Check the id, the Client and the environment: what belongs to another one reads as not found
    2> The service says: No such Client.
    2> Docs: http://127.0.0.1:PORT/errors/not_found
    2> Trace id: UUID
    [exit 5]
    "
  `)
})

it('without a Client nothing is sent, and the error names the three ways to give one (exit 2)', async () => {
  const { code, stderr } = await emulator.run('bankapi accounts list', {
    env: { BANKAPI_CLIENT_ID: undefined, BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3' },
  })
  expect(code).toBe(2)
  expect(stderr).toMatch(/--client.*BANKAPI_CLIENT_ID/s)
})

it('money is shown with its sign and its currency; money owed is negative', async () => {
  const { stdout } = await emulator.run('bankapi accounts list --columns name,current_balance')
  expect(stdout).toMatch(/^Home Mortgage\t-\d+\.\d\d USD$/m)
  expect(stdout).toMatch(/^Yen Card\t-\d+ JPY$/m)
  expect(stdout).toMatch(/^Girokonto Grün\t\d+\.\d\d EUR$/m)
})

it('a table leaves out columns before it wraps, and keeps ids whole', async () => {
  expect(
    await emulator.screen('bankapi accounts list --connection con_AGGREGATOR_B_2001', { columns: 40 }),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi accounts list --connection con_AGGREGATOR_B_2001
    ID                             BALANCE
    acc_AGGREGATOR_B_200101     -37.52 USD
    acc_AGGREGATOR_B_200102   9,120.40 USD
    acc_AGGREGATOR_B_200103  15,000.00 USD
    acc_AGGREGATOR_B_200104      64.25 USD
    acc_AGGREGATOR_B_200105  -5,310.66 USD
    acc_AGGREGATOR_B_200106  22,410.75 USD
    acc_AGGREGATOR_B_200107  88,031.31 USD
    acc_AGGREGATOR_B_200108   3,507.88 EUR
    acc_AGGREGATOR_B_200109     210.00 USD
    "
  `)
})
