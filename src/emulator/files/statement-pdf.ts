/** Draws a monthly statement as a PDF with a running balance. Loads pdfkit: import() it. */
import Pdf from 'pdfkit'
import { decimalsOf, sumMoney } from '../catalog/money.ts'
import { winAnsi } from '../catalog/plain-text.ts'
import type { SeededStatement, SeededTransaction } from '../catalog/seed-rows.ts'
import { attachment, type StatementLines } from './statement-lines.ts'

type Document = InstanceType<typeof Pdf>

export interface StatementPdf {
  readonly institutionName: string
  readonly account: {
    readonly name: string | null
    readonly mask: string | null
    readonly iso_currency_code: string
  }
  readonly statement: Pick<SeededStatement, 'id' | 'statement_date' | 'period_start'>
  /** Those of the period; pending ones are left out. In any order. */
  readonly transactions: readonly Pick<SeededTransaction, 'date' | 'description' | 'amount' | 'pending'>[]
  /** In major units, signed from the holder's view. */
  readonly openingBalance: number
  readonly closingBalance: number
}

const page = { width: 612, height: 792, margin: 54 } as const
const rowHeight = 15
const lastRowAt = page.height - page.margin - 40
const columns = [
  { title: 'Date', x: 54, width: 62, align: 'left' },
  { title: 'Description', x: 120, width: 258, align: 'left' },
  { title: 'Amount', x: 382, width: 84, align: 'right' },
  { title: 'Balance', x: 470, width: 88, align: 'right' },
] as const

/** The bytes of the file. The same statement gives the same bytes. */
export function statementPdf(content: StatementPdf): Promise<Uint8Array> {
  const document = new Pdf({
    size: [page.width, page.height],
    margin: 0,
    bufferPages: true,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: winAnsi(`${content.institutionName} statement ${content.statement.statement_date}`),
      Author: winAnsi(content.institutionName),
      // Not the time of drawing: the same statement is the same file.
      CreationDate: new Date(`${content.statement.statement_date}T00:00:00Z`),
    },
  })
  const bytes = collected(document)
  const lines = linesOf(content)
  drawHeading(document, content)
  drawRows(document, lines)
  drawFooters(document, content)
  document.file(Buffer.from(JSON.stringify(lines)), { ...attachment, hidden: true })
  document.end()
  return bytes
}

function collected(document: Document): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    document.on('data', (chunk: Uint8Array) => chunks.push(chunk))
    document.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))))
    document.on('error', reject)
  })
}

/** One line of text at a place, cut to its width: a row never grows over the next one. */
function line(document: Document, text: string, x: number, y: number, width: number, align = 'left'): void {
  let shown = winAnsi(text)
  if (document.widthOfString(shown) > width) {
    while (shown !== '' && document.widthOfString(`${shown}…`) > width) shown = shown.slice(0, -1)
    shown = `${shown.trimEnd()}…`
  }
  const start = align === 'right' ? x + width - document.widthOfString(shown) : x
  document.text(shown, start, y, { lineBreak: false })
}

function drawHeading(document: Document, content: StatementPdf): void {
  const { account, statement, institutionName } = content
  const wide = page.width - 2 * page.margin
  document.font('Helvetica-Bold').fontSize(18)
  line(document, institutionName, page.margin, 54, wide)
  document.font('Helvetica').fontSize(10)
  line(document, 'Account statement', page.margin, 78, wide)
  const facts = [
    ['Account', `${account.name ?? ''}${account.mask === null ? '' : ` (ending ${account.mask})`}`],
    ['Period', `${statement.period_start} to ${statement.statement_date}`],
    ['Currency', account.iso_currency_code],
    ['Opening balance', money(content.openingBalance, account.iso_currency_code)],
    ['Closing balance', money(content.closingBalance, account.iso_currency_code)],
  ] as const
  for (const [index, [label, value]] of facts.entries()) {
    const y = 104 + index * rowHeight
    document.font('Helvetica-Bold')
    line(document, label, page.margin, y, 100)
    document.font('Helvetica')
    line(document, value, page.margin + 104, y, wide - 104)
  }
}

/** The settled transactions, oldest first, each with the balance after it. */
function linesOf({ account, statement, transactions, openingBalance, closingBalance }: StatementPdf) {
  const { iso_currency_code } = account
  let balance = openingBalance
  const lines: StatementLines = {
    iso_currency_code,
    period_start: statement.period_start,
    statement_date: statement.statement_date,
    opening_balance: openingBalance,
    closing_balance: closingBalance,
    line_items: transactions
      .filter(({ pending }) => !pending)
      .toSorted((one, other) => (one.date < other.date ? -1 : one.date > other.date ? 1 : 0))
      .map(({ date, description, amount }) => {
        balance = sumMoney([balance, amount], iso_currency_code)
        return { date, description, amount, iso_currency_code, balance }
      }),
  }
  return lines
}

function drawRows(document: Document, { line_items, iso_currency_code: currency }: StatementLines): void {
  let y = drawColumnTitles(document, 196)
  if (line_items.length === 0) line(document, 'No transactions in this period.', page.margin, y, 300)
  for (const { date, description, amount, balance } of line_items) {
    if (y > lastRowAt) {
      document.addPage()
      y = drawColumnTitles(document, page.margin)
    }
    const cells = [date, description, money(amount, currency), money(balance, currency)]
    for (const [index, { x, width, align }] of columns.entries()) {
      line(document, cells[index] ?? '', x, y, width, align)
    }
    y += rowHeight
  }
}

/** Returns where the first row goes. */
function drawColumnTitles(document: Document, y: number): number {
  document.font('Helvetica-Bold').fontSize(9)
  for (const { title, x, width, align } of columns) line(document, title, x, y, width, align)
  document
    .moveTo(page.margin, y + 13)
    .lineTo(page.width - page.margin, y + 13)
    .lineWidth(0.5)
    .stroke('#666666')
  document.font('Helvetica')
  return y + 19
}

function drawFooters(document: Document, { statement }: StatementPdf): void {
  const { count } = document.bufferedPageRange()
  for (let index = 0; index < count; index += 1) {
    document.switchToPage(index)
    document.font('Helvetica').fontSize(8)
    const y = page.height - page.margin
    line(document, `Emulated statement, not a bank document. ${statement.id}`, page.margin, y, 380)
    line(document, `Page ${index + 1} of ${count}`, 438, y, 120, 'right')
  }
}

/** `-1,234.50`: a plain minus sign, so that the text can be read back as a number. */
function money(amount: number, currency: string): string {
  const digits = decimalsOf(currency)
  return amount.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}
