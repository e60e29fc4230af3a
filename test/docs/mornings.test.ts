import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { makeMorning } from '../support/operators-morning.ts'
import { portable } from '../support/shell.ts'
import { shownScreens } from './shown-screens.ts'

/**
 * The operator's morning: runs the console blocks of docs/mornings.md, one after the other, and compares what a terminal
 * shows. To update the page: BANKAPI_DOCS_WRITE=1 npm run test:only test/docs/mornings.test.ts
 */
const page = new URL('../../docs/mornings.md', import.meta.url)

const emulator = emulatorShell([
  ...['--refresh-budget', '30', '--refresh-budget-scope', 'customer', '--first-signal', '10ms'],
])

/** Removes what differs from day to day, and which of the Connections the budget was enough for. */
function comparable(text: string): string {
  return portable(text, emulator.home.folder)
    .replaceAll(/\d+ jobs ran/g, 'N jobs ran')
    .replaceAll(/in \d+ (h|min|s):/g, 'in a while:')
    .replaceAll(/^con_\S+ .*succeeded.*$/gm, 'SUCCEEDED')
    .replaceAll(/ +$/gm, '')
}

interface Row {
  readonly connection_id: string
  readonly outcome: string
}

it('50 Connections of 12 Clients, a third broken: triage names each, a refresh stops at the budget and goes on, links go to a file', async () => {
  const { broken, connections } = await makeMorning(emulator.home.sandbox)
  expect(connections).toHaveLength(50)
  const clients = JSON.parse(await emulator.text('bankapi clients list --json')).data
  expect(clients).toHaveLength(12)

  // Every broken one is named, with a reason, somebody who can act, and a command; nobody else is.
  const { data } = JSON.parse(await emulator.text('bankapi connections triage --json'))
  expect(data.map(({ connection_id }: Row) => connection_id).sort()).toEqual([...broken.values()].sort())
  for (const row of data) {
    expect(row.reason, row.connection_id).not.toBe('')
    expect(['user', 'bank', 'service', 'us']).toContain(row.who_can_act)
    expect(row.next).toMatch(/^bankapi connections (reauthorize|refresh|initiate|get) /)
  }

  const { page: written, shown, real } = await shownScreens(readFileSync(page, 'utf8'), emulator, 120)
  if (process.env['BANKAPI_DOCS_WRITE'] === '1') writeFileSync(page, written)
  else expect(shown.map(comparable)).toEqual(real.map(comparable))

  // What the page shows: 30 of the budget were used, and what was left was done the next day.
  const csv = readFileSync(join(emulator.shell.folder, 'refreshed.csv'), 'utf8')
  const count = (outcome: string) => csv.split('\n').filter((line) => line.endsWith(`,${outcome}`)).length
  expect(count('succeeded') + count('failed')).toBe(30)
  expect(count('left')).toBe(7)
  expect(count('skipped')).toBe(13)
  expect(readFileSync(join(emulator.shell.folder, 'left.txt'), 'utf8')).toBe('')
  expect(statSync(join(emulator.shell.folder, 'links.csv')).mode & 0o777).toBe(0o600)
})
