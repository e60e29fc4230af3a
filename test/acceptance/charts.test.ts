/** Charts: on a terminal they are drawn and fit into it, in a pipe there are rows, and what they show is exact. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Account } from '../../src/contract/accounts.ts'
import { openInbox } from '../../src/inbox/open.ts'
import { displayWidth } from '../../src/output/width.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { textsOf } from '../support/pdf-texts.ts'
import { sampleDelivery } from '../support/sample-delivery.ts'

const emulator = emulatorShell()
const checking = 'acc_AGGREGATOR_A_100101'
const mortgage = 'acc_AGGREGATOR_A_100104'
const widths = [40, 60, 80, 120, 200]
const braille = /[\u2801-\u28ff]/

const json = async (line: string) => JSON.parse(await emulator.text(`${line} --json`))
const accounts = async (): Promise<Account[]> => (await json('bankapi accounts list')).data
const isSum = ({ type }: Account) => type !== 'loan' && type !== 'investment'

/** The lines that a command draws, which fit into the terminal. */
async function drawn(line: string, columns: number, env = {}): Promise<string[]> {
  const rows = columns === 60 ? 16 : 30
  const { code, screen, raw } = await emulator.open(line, { columns, rows, env }).ended
  expect(code, screen).toBe(0)
  // The screen would hide that a line was wrapped.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are taken away
  const lines = raw.replaceAll(/\u001b\[[0-9;]*m/g, '').split('\r\n')
  for (const one of lines) expect(displayWidth(one), one).toBeLessThanOrEqual(columns)
  return lines
}

/** The last day and the closing balance of the statements in a folder, as their PDFs show them. */
function closings(folder: string): { date: string; balance: number }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.pdf'),
  )
  return files.map((file) => {
    const texts = textsOf(readFileSync(join(folder, file))).flat()
    const after = (label: string) => texts[texts.indexOf(label) + 1] ?? ''
    const closing = after('Closing balance').replaceAll(',', '')
    return { date: after('Period').slice(-10), balance: Number(closing) }
  })
}

describe('accounts history', () => {
  it('meets the closing balance of every statement PDF, before and after a mirror is there', {
    tags: ['slow'],
  }, async () => {
    const all = await accounts()
    let compared = 0
    for (const { id } of all.filter(isSum)) {
      const folder = join(emulator.shell.folder, id)
      const statements = await json(`bankapi statements list ${id}`)
      if (statements.data.length === 0) continue
      await emulator.text(`bankapi statements download --account ${id} --to ${folder}`)
      const { data } = await json(`bankapi accounts history ${id}`)
      const balances = new Map(
        data.map((day: { date: string; current_balance: number }) => [day.date, day.current_balance]),
      )
      for (const { date, balance } of closings(folder)) {
        expect([id, date, balances.get(date)]).toEqual([id, date, balance])
        compared += 1
      }
    }
    // Six months of every account that is a sum, but for the one that was read out of uploads.
    expect(compared).toBe(6 * (all.filter(isSum).length - 1))
    await emulator.text('bankapi sync')
    const { data } = await json(`bankapi accounts history ${checking}`)
    for (const { date, balance } of closings(join(emulator.shell.folder, checking)))
      expect(data).toContainEqual(expect.objectContaining({ date, current_balance: balance }))
  })

  it('of a loan and an investment is not made up from transactions (exit 5), which it says, but drawn from the mirror', async () => {
    const others = (await accounts()).filter((account) => !isSum(account))
    expect(new Set(others.map(({ type }) => type))).toEqual(new Set(['loan', 'investment']))
    for (const { id, type } of [mortgage, 'acc_AGGREGATOR_A_100105'].map(
      (id) => others.find((one) => one.id === id) as Account,
    )) {
      const { code, stdout, stderr } = await emulator.run(`bankapi accounts history ${id}`)
      expect([code, stdout]).toEqual([5, ''])
      expect(stderr).toContain(
        `the balance of ${type === 'loan' ? 'a loan' : 'an investment'} is no sum of transactions`,
      )
      expect(stderr).toContain('bankapi sync')
      expect((await emulator.run(`bankapi accounts history ${id} --basis transactions`)).code).toBe(2)
    }
    await emulator.text('bankapi sync')
    const history = await json(`bankapi accounts history ${mortgage}`)
    expect(history).toMatchObject({
      basis: 'mirror',
      transactions: 0,
      reason: expect.stringContaining('no sum'),
    })
    expect(history.data).toHaveLength(1)
    expect((await emulator.run(`bankapi accounts history ${mortgage}`)).stderr).toContain(
      'As the mirror saw it',
    )
  })

  it('says what it is from: transactions, then the mirror for the days on which it watched', async () => {
    const { stdout, stderr } = await emulator.run(`bankapi accounts history ${checking} --from 2026-01-01`)
    expect(stderr).toMatch(/^From \d+ settled transactions, back from the balance of \d{4}-\d\d-\d\d\.$/m)
    expect(stdout.trim().split('\n').at(-1)).toMatch(/^\d{4}-\d\d-\d\d\t3284\.57 USD\ttransactions$/)
    await emulator.text(
      'bankapi sync; bankapi emulator advance 2d; bankapi connections refresh con_AGGREGATOR_A_1001 --wait; bankapi sync',
    )
    const both = await json(`bankapi accounts history ${checking}`)
    expect(both.basis).toBe('both')
    expect((await emulator.run(`bankapi accounts history ${checking}`)).stderr).toContain(
      'on as the mirror saw it.',
    )
    const mirror = await json(`bankapi accounts history ${checking} --basis mirror`)
    expect(mirror).toMatchObject({ basis: 'mirror', transactions: 0 })
    const back = await json(`bankapi accounts history ${checking} --basis transactions`)
    expect(back.basis).toBe('transactions')
    // Today is that of the service.
    expect(both.data.at(-1)).toEqual(back.data.at(-1))
    expect(mirror.data[0]).toEqual(both.data.find(({ basis }: { basis: string }) => basis === 'mirror'))
  })

  it.each(widths)('draws a line that fits into %i columns', async (columns) => {
    const lines = await drawn(`bankapi accounts history ${checking} -q`, columns)
    expect(lines.filter((line) => braille.test(line)).length).toBeGreaterThan(3)
    const text = lines.join(' ')
    expect(text).toContain('3,284.57 USD')
    expect(text).toContain('back from the balance')
    expect(text).toMatch(/lowest [\d,.]+ on/)
    // All of it on one screen, with the line of the next prompt: no pager is needed.
    if (columns === 60) expect(lines.length).toBeLessThanOrEqual(16)
  })

  it('has no colours with NO_COLOR, and no drawing in a pipe', async () => {
    const { raw } = await emulator.open(`bankapi accounts history ${checking} -q`, { env: { NO_COLOR: '1' } })
      .ended
    expect(raw).toMatch(braille)
    expect(raw).not.toContain('\u001b[3')
    const piped = await emulator.text(`bankapi accounts history ${checking}`)
    expect(piped).not.toMatch(braille)
    expect(await emulator.text(`bankapi accounts history ${checking} -o csv | head -1`)).toBe(
      'date,current_balance,iso_currency_code,basis',
    )
  })

  it('does without a mirror that cannot be read, which it says, but for what only the mirror has', async () => {
    const broken = { env: { BANKAPI_SYNC_TO: join(emulator.shell.folder, 'no.sqlite') } }
    await emulator.text('echo no database > no.sqlite')
    const { code, stdout, stderr } = await emulator.run(`bankapi accounts history ${checking}`, broken)
    expect([code, stdout.includes('3284.57 USD')]).toEqual([0, true])
    expect(stderr).toContain('Warning: the mirror is left out:')
    expect((await emulator.run(`bankapi accounts history ${mortgage}`, broken)).code).toBe(2)
  })

  it('makes no request for what the mirror alone has', async () => {
    await emulator.text('bankapi sync')
    const dead = { env: { BANKAPI_BASE_URL: 'http://127.0.0.1:9/v3' } }
    const shown = await emulator.run(`bankapi accounts history ${mortgage} --basis mirror`, dead)
    expect([shown.code, shown.stdout.split('\t')[1]]).toEqual([0, '-238411.90 USD'])
  })
})

describe('transactions summary', () => {
  it('is the exact sum of the transactions that the list has, of each currency for itself', async () => {
    interface Row {
      readonly amount: number
      readonly iso_currency_code: string
      readonly date: string
      readonly pending: boolean
    }
    const rows: Row[] = (await emulator.text('bankapi transactions list --all-clients -o ndjson'))
      .split('\n')
      .map((line) => JSON.parse(line))
    const { data } = await json('bankapi transactions summary --all-clients')
    expect(new Set(data.map((row: Row) => row.iso_currency_code))).toEqual(new Set(['USD', 'EUR', 'JPY']))
    for (const { group, iso_currency_code: code, ...sums } of data) {
      const of = rows.filter(
        (row) => !row.pending && row.iso_currency_code === code && row.date.startsWith(group),
      )
      const cents = (wanted: (amount: number) => boolean) =>
        of
          .filter(({ amount }) => wanted(amount))
          .reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100
      expect(sums).toEqual({
        by: 'month',
        transactions: of.length,
        money_in: cents((amount) => amount > 0),
        money_out: cents((amount) => amount < 0),
        net: cents(() => true),
      })
    }
    expect((await emulator.run('bankapi transactions summary --all-clients')).stderr).toMatch(
      /\d+ pending ones are not in the sums/,
    )
  })

  it('takes one account, dates and a grouping, and says when rows were cut', async () => {
    const one = `bankapi transactions summary ${checking}`
    const all = await json(`${one} --by merchant`)
    expect(all.has_more).toBe(false)
    const { stderr, stdout } = await emulator.run(`${one} --by merchant --limit 2`)
    expect(stdout.trim().split('\n')).toHaveLength(2)
    expect(stderr).toContain('There is more: a larger --limit, or --all')
    expect((await json(`${one} --by merchant --limit 2`)).data).toEqual(all.data.slice(0, 2))
    const { data } = await json(`${one} --by day --from 2030-01-01`)
    expect(data).toEqual([])
    expect((await emulator.run(`${one} --from 2026-02-01 --to 2026-01-01`)).code).toBe(2)
    expect((await emulator.run(`${one} --cursor abc`)).code).toBe(2)
    expect(await emulator.text(`${one} -o csv | head -1`)).toBe(
      'by,group,iso_currency_code,transactions,money_in,money_out,net',
    )
  })

  it('leaves out a Client that cannot be read only with --keep-going, and says so (exit 9)', async () => {
    await emulator.text(
      'bankapi clients create --name Ada; bankapi emulator faults add "GET /accounts/*/transactions" --status 422 --times 1',
    )
    expect((await emulator.run('bankapi transactions summary --all-clients')).code).toBe(7)
    await emulator.text(
      'bankapi emulator faults clear; bankapi emulator faults add "GET /accounts/*/transactions" --status 422 --times 1',
    )
    const { code, stdout, stderr } = await emulator.run(
      'bankapi transactions summary --all-clients --keep-going',
    )
    expect([code, stdout.length > 0]).toEqual([9, true])
    expect(stderr).toContain('Not whole: 1 could not be read')
  })

  it.each(widths)('draws bars, where there is room, that fit into %i columns', async (columns) => {
    for (const by of ['month', 'category']) {
      const lines = await drawn(`bankapi transactions summary --by ${by} -q`, columns, { NO_COLOR: '1' })
      expect(lines.join('\n')).toMatch(/^total +[\d,.]+ .*[\d,.]+/m)
      if (columns >= 60) expect(lines.join('\n')).toMatch(/▇/)
    }
  })

  it('draws what was cut as one more row, so that the total is that of all', async () => {
    const totalOf = async (flags: string) =>
      (await drawn(`bankapi transactions summary ${checking} --by category -q ${flags}`, 80))
        .find((line) => line.startsWith('total'))
        ?.replaceAll(/ +/g, ' ')
    const few = await drawn(`bankapi transactions summary ${checking} --by category -q --limit 2`, 80)
    expect(few.filter((line) => /^\d+ more +[\d,.]+/.test(line))).toHaveLength(1)
    expect(await totalOf('--limit 2')).toBe(await totalOf('--all'))
  })

  it('has rows and no bars in a pipe', async () => {
    const piped = await emulator.text(`bankapi transactions summary ${checking}`)
    expect(piped).toMatch(/^\d{4}-\d\d\t\d+\t-[\d.]+ USD\t[\d.]+ USD\t-?[\d.]+ USD$/m)
    expect(piped).not.toMatch(/[▇│]/)
  })
})

describe('webhooks stats', () => {
  /** Three hours of deliveries: 40 accepted, 2 that failed, one that did not verify. */
  async function filled(): Promise<void> {
    const start = Date.now() - 2 * 3_600_000
    const inbox = openInbox({ path: join(emulator.home.folder, 'data', 'inbox.sqlite'), now: Date.now })
    for (let at = 0; at < 43; at += 1) {
      const verified = at !== 42
      const forward = verified ? { forwardTo: 'http://x/' } : { reason: 'no_match' }
      const received = { receivedAt: start + at * 150_000, environment: 'local', verified, ...forward }
      const { id } = await inbox.deliveries.record(sampleDelivery(`evt_${at}`, received))
      const answer = { url: 'http://x/', status: at < 40 ? 200 : 500, durationMs: at + 1 }
      if (verified) await inbox.deliveries.recordForward(id, answer)
    }
    await inbox.close()
  }

  it('counts what became of the deliveries of each hour, and how fast the target was', async () => {
    await filled()
    const stats = await json('bankapi webhooks stats')
    expect(stats).toMatchObject({
      by: 'hour',
      deliveries: 43,
      accepted: 40,
      failed: 2,
      not_verified: 1,
      p50_ms: 21,
      p95_ms: 40,
    })
    expect(stats.success_rate).toBe(0.9524)
    expect(stats.data).toHaveLength(25)
    const sum = stats.data.reduce(
      (total: number, { deliveries }: { deliveries: number }) => total + deliveries,
      0,
    )
    expect(sum).toBe(43)
    expect((await json('bankapi webhooks stats --type no.such')).deliveries).toBe(0)
    expect((await json('bankapi webhooks stats --since 7d')).by).toBe('day')
    expect((await json('bankapi webhooks stats --env sandbox')).deliveries).toBe(0)
  })

  it.each(widths)(
    'draws stacked bars that fit into %i columns and are told apart without colours',
    async (columns) => {
      await filled()
      const text = (await drawn('bankapi webhooks stats', columns, { NO_COLOR: '1' })).join('\n')
      expect(text).toMatch(/█+/)
      expect(text).toMatch(/▓ 2 failed/)
      expect(text).toMatch(/▒ 1 not verified/)
      expect(text).toContain('95.2 %')
    },
  )

  it('has rows in a pipe, and says so when there is nothing', async () => {
    expect((await emulator.run('bankapi webhooks stats')).stderr).toContain('No such deliveries')
    await filled()
    const rows = (await emulator.text('bankapi webhooks stats')).split('\n')
    expect(rows).toHaveLength(25)
    expect(rows[0]?.split('\t')).toHaveLength(8)
  })
})
