import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell(['--refresh-duration', '100ms'])
const account = 'acc_FDE_12301'

it('--all reads every page: as many lines as there are transactions, none twice', async () => {
  const rows = await emulator.text(`bankapi transactions list ${account} --all -o ndjson`)
  const ids = rows.split('\n').map((row) => JSON.parse(row).id)
  expect(ids.length).toBeGreaterThan(100)
  expect(new Set(ids).size).toBe(ids.length)
  const few = await emulator.text(`bankapi transactions list ${account} --all --limit 7 --jq '.data[].id'`)
  expect(few.split('\n')).toEqual(ids.slice(0, 7))
})

it('--from and --to bound the transaction date, both inclusive', async () => {
  const dates = await emulator.text(`bankapi transactions list ${account} --all --jq '.data[].date'`)
  const [from = '', to = ''] = [...new Set(dates.split('\n'))].toSorted().slice(10, 12)
  const within = await emulator.text(
    `bankapi transactions list ${account} --from ${from} --to ${to} --all --jq '[.data[].date] | unique | .[]'`,
  )
  expect(within.split('\n')).toEqual([from, to])
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const listed = async (flags: string) =>
    (await emulator.text(`bankapi transactions list ${account} ${flags} --all --jq '.data[].date'`)).split(
      '\n',
    )
  const recent = dates.split('\n').filter((date) => date >= day(7))
  expect(recent.length).toBeGreaterThan(0)
  expect(await listed('--from 7d')).toEqual(recent)
  expect((await listed('--to yesterday')).filter((date) => date > day(1))).toEqual([])
  expect(
    await emulator.transcript(`bankapi transactions list ${account} --from 1999-01-01 --to 1999-12-31`),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi transactions list acc_FDE_12301 --from DATE --to DATE
    2> No transactions of acc_FDE_12301 in this period.
    "
  `)
  expect((await emulator.run(`bankapi transactions list ${account} --from 31.12.2025`)).code).toBe(2)
})

it('--cursor reads the next page; a cursor of another query is refused (exit 7)', async () => {
  const first = JSON.parse(await emulator.text(`bankapi transactions list ${account} --limit 2 --json`))
  const second = JSON.parse(
    await emulator.text(
      `bankapi transactions list ${account} --limit 2 --cursor ${first.next_cursor} --json`,
    ),
  )
  expect(first).toMatchObject({ has_more: true, data: { length: 2 } })
  expect(second.data[0].id).not.toBe(first.data[1].id)
  const other = await emulator.run(
    `bankapi transactions list acc_FDE_12302 --limit 2 --cursor ${first.next_cursor} --json`,
  )
  expect([other.code, JSON.parse(other.stderr).error.code]).toEqual([7, 'invalid_request'])
})

it('the same rows as a table, CSV, NDJSON and YAML', async () => {
  const one = `bankapi transactions list ${account} --limit 1`
  const { data } = JSON.parse(await emulator.text(`${one} --json`))
  const { id, amount, iso_currency_code, date, pending } = data[0]
  const money = `${amount.toFixed(2)} ${iso_currency_code}`
  expect(await emulator.text(`${one} --columns id,amount`)).toBe(`${id}\t${money}`)
  expect(await emulator.text(`${one} -o csv --columns id,amount`)).toBe(`id,amount\n${id},${amount}`)
  expect(JSON.parse(await emulator.text(`${one} -o ndjson`))).toEqual(data[0])
  expect(await emulator.text(`${one} -o yaml`)).toContain(`- id: ${id}\n`)
  const shown = JSON.parse(await emulator.text(`bankapi transactions get ${id} --json`))
  expect(shown).toMatchObject({ id, account_id: account, amount, date, pending })
})

it('an unknown column is refused, and the error lists the known ones (exit 2)', async () => {
  expect(
    await emulator.transcript(`bankapi transactions list ${account} --columns nope`),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi transactions list acc_FDE_12301 --columns nope
    2> Error: Unknown column: nope (usage)
    2> Try: Columns: date, amount, description, merchant_name, category, pending, id, account_id, iso_currency_code, external_id
    [exit 2]
    "
  `)
})
