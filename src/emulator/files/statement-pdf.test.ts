import { describe, expect, it } from 'vitest'
import { textsOf } from '../../../test/support/pdf-texts.ts'
import { demoData } from '../catalog/demo-data.ts'
import { winAnsi } from '../catalog/plain-text.ts'
import type { AccountSeed, SeededStatement } from '../catalog/seed-rows.ts'
import { looksLikePdf } from './looks-like-pdf.ts'
import { linesIn } from './statement-lines.ts'
import { type StatementPdf, statementPdf } from './statement-pdf.ts'

const [customer] = demoData(1, '2026-11-20').customers
const seeds = customer?.clients[0]?.connections.flatMap(({ accounts }) => accounts) ?? []

function seedOf(name: string): AccountSeed {
  const seed = seeds.find(({ account }) => account.name === name)
  if (!seed) throw new Error(`no account ${name}`)
  return seed
}

function contentOf({ account, transactions }: AccountSeed, statement: SeededStatement): StatementPdf {
  return {
    institutionName: 'Crédit Ålesund',
    account,
    statement,
    transactions: transactions.filter(
      ({ date }) => date >= statement.period_start && date <= statement.statement_date,
    ),
    openingBalance: statement.opening_balance,
    closingBalance: statement.closing_balance,
  }
}

/** The statement of an account's last month, or one that covers everything it has. */
function content(name: string, everything = false): StatementPdf {
  const seed = seedOf(name)
  const [first, last] = [seed.statements[0], seed.statements.at(-1)]
  if (!first || !last) throw new Error(`no statement of ${name}`)
  const covering = { ...last, period_start: first.period_start, opening_balance: first.opening_balance }
  return contentOf(seed, everything ? covering : last)
}

const number = (text: string) => Number(text.replaceAll(',', ''))

/** The rows of the table as drawn: date, description, amount, balance. */
function rowsOf(pages: string[][]): [string, string, number, number][] {
  return pages.flatMap((texts) =>
    texts.flatMap((text, at): [string, string, number, number][] =>
      /^\d{4}-\d\d-\d\d$/.test(text)
        ? [[text, texts[at + 1] ?? '', number(texts[at + 2] ?? ''), number(texts[at + 3] ?? '')]]
        : [],
    ),
  )
}

describe('statementPdf', () => {
  it.each(['Everyday Checking', 'Girokonto Grün', 'Yen Card', 'Home Mortgage'])(
    'shows exactly the settled transactions of the period, with a running balance that ends at the closing one: %s',
    async (name) => {
      const statement = content(name)
      const rows = rowsOf(textsOf(await statementPdf(statement)))
      const settled = statement.transactions
        .filter(({ pending }) => !pending)
        .map(({ date, description, amount }) => `${date} ${winAnsi(description)} ${amount}`)
      expect(rows.map(([date, description, amount]) => `${date} ${description} ${amount}`).sort()).toEqual(
        settled.sort(),
      )
      expect(rows.at(-1)?.[3]).toBe(statement.closingBalance)
    },
  )

  it('names the bank, the account, the period and both balances', async () => {
    const [page = []] = textsOf(await statementPdf(content('Girokonto Grün')))
    const { openingBalance, closingBalance } = content('Girokonto Grün')
    expect(page).toContain('Crédit Ålesund')
    expect(page).toContain('Girokonto Grün (ending 12)')
    expect(page).toContain('2026-10-01 to 2026-10-31')
    expect(page.map(number)).toEqual(expect.arrayContaining([openingBalance, closingBalance]))
  })

  it('goes over several pages, each numbered, and loses no row on the way', async () => {
    const statement = content('Cash Rewards Card', true)
    const pages = textsOf(await statementPdf(statement))
    expect(pages.length).toBeGreaterThan(3)
    for (const [index, texts] of pages.entries())
      expect(texts).toContain(`Page ${index + 1} of ${pages.length}`)
    expect(rowsOf(pages)).toHaveLength(statement.transactions.filter(({ pending }) => !pending).length)
  })

  it('leaves pending charges out', async () => {
    const [row] = seedOf('Yen Card').transactions
    if (!row) throw new Error('no transaction')
    const transactions = [{ ...row, pending: true, description: 'HELD' }]
    const [page = []] = textsOf(await statementPdf({ ...content('Yen Card'), transactions }))
    expect(page).not.toContain('HELD')
    expect(page).toContain('No transactions in this period.')
  })

  it('is a PDF, and the same bytes for the same statement', async () => {
    const file = await statementPdf(content('Everyday Checking'))
    expect(looksLikePdf(file)).toBe(true)
    expect(Buffer.from(file.subarray(-6)).toString().trim()).toBe('%%EOF')
    expect(await statementPdf(content('Everyday Checking'))).toEqual(file)
  })

  it('takes text of any script and length without running into the next column', async () => {
    const [row] = seedOf('Yen Card').transactions
    if (!row) throw new Error('no transaction')
    const transactions = [{ ...row, description: `${'すし\u0000\u202e'.repeat(200)}` }]
    const [page = []] = textsOf(await statementPdf({ ...content('Yen Card'), transactions }))
    expect(page.some((text) => text.startsWith('??') && text.endsWith('…') && text.length < 60)).toBe(true)
  })

  it('holds its lines as data: what is drawn, texts whole', async () => {
    const statement = content('Cash Rewards Card', true)
    const [row] = statement.transactions
    if (!row) throw new Error('no transaction')
    const long = { ...row, description: 'すし'.repeat(100), amount: -1, pending: false }
    const transactions = [...statement.transactions, long, { ...row, pending: true }]
    const file = await statementPdf({ ...statement, transactions })
    const { line_items = [], ...facts } = linesIn(file) ?? {}
    const rows = rowsOf(textsOf(file))
    expect(line_items.map(({ date, amount, balance }) => [date, amount, balance])).toEqual(
      rows.map(([date, , amount, balance]) => [date, amount, balance]),
    )
    expect(line_items.map(({ description }) => description)).toContain(long.description)
    expect(facts).toEqual({
      iso_currency_code: statement.account.iso_currency_code,
      period_start: statement.statement.period_start,
      statement_date: statement.statement.statement_date,
      opening_balance: statement.openingBalance,
      closing_balance: statement.closingBalance,
    })
  })

  it('another file has no lines, nor has a damaged one', async () => {
    const file = await statementPdf(content('Yen Card'))
    const text = Buffer.from(file).toString('latin1')
    const spoilt = (from: string, to: string) => linesIn(Buffer.from(text.replaceAll(from, to), 'latin1'))
    expect(spoilt('%PDF', '%PDF')).toBeDefined()
    expect(spoilt('lines-of-emulated', 'lines-of-another')).toBeUndefined()
    const at = text.indexOf('stream\n', text.indexOf('/EmbeddedFile')) + 7
    expect(spoilt(text.slice(at, at + 8), 'xxxxxxxx')).toBeUndefined()
    expect(linesIn(Buffer.from('%PDF-1.7 lines-of-emulated-statement.json /EmbeddedFile'))).toBeUndefined()
  })
})
