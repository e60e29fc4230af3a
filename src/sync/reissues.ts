/**
 * Finds the settled charge that a bank issued in the place of a pending one it dropped (rule 4). Only a row that fits alone
 * becomes the successor: of two candidates neither does.
 */
import type { MirrorTransaction } from './mirror/mirror.ts'
import { dayMs, type RunContext } from './run-context.ts'

const WITHIN_MS = 10 * dayMs
/** A dropped row is looked at this long: a successor may come 10 days later, and a run may be late. */
const LOOKED_AT_MS = 30 * dayMs
/** A charge settles after it was held, or a little earlier by the date that the bank gives it. */
const MAX_EARLIER_MS = 10 * dayMs
const MAX_TIP = 1.3

interface Charge {
  readonly id: string
  readonly amount_minor: number | null
  readonly amount_exponent: number | null
  readonly description: string | null
  readonly merchant_name: string | null
  readonly category: string | null
}

/** Sets `superseded_by` of the dropped rows of an account where exactly one settled row fits. */
export async function matchReissues(
  { reader }: Pick<RunContext, 'reader'>,
  db: MirrorTransaction,
  accountId: string,
): Promise<void> {
  const charge = [
    'id',
    'amount_minor',
    'amount_exponent',
    'description',
    'merchant_name',
    'category',
  ] as const
  const dropped = await db
    .selectFrom('transactions')
    .select([...charge, 'date', 'gone_at'])
    .where('account_id', '=', accountId)
    .where('gone_reason', '=', 'dropped')
    .where('superseded_by', 'is', null)
    .where('gone_at', '>', moment(reader.now() - LOOKED_AT_MS))
    .execute()
  for (const row of dropped) {
    const at = Date.parse(row.gone_at ?? '')
    const settled = await db
      .selectFrom('transactions as t')
      .select(charge)
      .where('account_id', '=', accountId)
      .where('pending', '=', false)
      .where('gone_at', 'is', null)
      // In a new mirror all of an account's history was first seen lately.
      .where(
        'date',
        '>=',
        row.date === null ? '0001-01-01' : moment(Date.parse(row.date) - MAX_EARLIER_MS).slice(0, 10),
      )
      // What settled under its own id is its own charge.
      .where('settled_at', 'is', null)
      .where('first_seen_at', '>=', moment(at - WITHIN_MS))
      .where('first_seen_at', '<=', moment(at + WITHIN_MS))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('transactions as d')
              .select('d.id')
              .where('d.account_id', '=', accountId)
              .whereRef('d.superseded_by', '=', 't.id'),
          ),
        ),
      )
      .execute()
    const fitting = settled.flatMap((candidate) => {
      const match = matchOf(row, candidate)
      return match === undefined ? [] : [{ candidate, match }]
    })
    const [only, another] = fitting
    if (only === undefined || another !== undefined) continue
    await db
      .updateTable('transactions')
      .set({ superseded_by: only.candidate.id, superseded_match: only.match })
      .where('account_id', '=', accountId)
      .where('id', '=', row.id)
      .execute()
  }
}

/**
 * How a settled charge fits a dropped one, if it does: same sign, and the same amount or up to 130 % of it (a tip) with a
 * similar text, or any amount at the same merchant for fuel, whose hold says nothing of what is pumped.
 */
function matchOf(dropped: Charge, settled: Charge): 'exact' | 'inferred' | undefined {
  const before = majorOf(dropped)
  const after = majorOf(settled)
  if (before === undefined || after === undefined || Math.sign(before) !== Math.sign(after)) return undefined
  const text = similarity(dropped, settled)
  const ratio = after / before
  if (ratio === 1 && text === 'same') return 'exact'
  if (text !== 'different' && ratio >= 1 && ratio <= MAX_TIP + Number.EPSILON) return 'inferred'
  return isFuel(dropped) && sameMerchant(dropped, settled) ? 'inferred' : undefined
}

function majorOf({ amount_minor, amount_exponent }: Charge): number | undefined {
  return amount_minor === null ? undefined : amount_minor / 10 ** (amount_exponent ?? 0)
}

function similarity(a: Charge, b: Charge): 'same' | 'similar' | 'different' {
  const one = words(a.description)
  const other = words(b.description)
  if (one.join(' ') === other.join(' ') && one.length > 0) return 'same'
  if (sameMerchant(a, b)) return 'similar'
  const shared = one.filter((word) => other.includes(word)).length
  return shared > 0 && shared / Math.min(one.length, other.length) >= 0.5 ? 'similar' : 'different'
}

function sameMerchant(a: Charge, b: Charge): boolean {
  const one = words(a.merchant_name).join(' ')
  return one !== '' && one === words(b.merchant_name).join(' ')
}

/** The words of a bank's text that identify the merchant: without numbers, dates and what banks put around it. */
function words(text: string | null): string[] {
  const found = (text ?? '').toLowerCase().match(/\p{L}{2,}/gu) ?? []
  const meaningful = found.filter(
    (word) => !/^(pending|purchase|pos|card|visa|debit|auth|hold|sq|tst|the)$/.test(word),
  )
  return meaningful.length > 0 ? meaningful : [...found]
}

function isFuel({ description, merchant_name, category }: Charge): boolean {
  const text = `${description ?? ''} ${merchant_name ?? ''} ${category ?? ''}`
  return /\b(fuel|gas|gasoline|petrol|diesel|filling station|service station)\b/i.test(
    text.replaceAll('_', ' '),
  )
}

function moment(time: number): string {
  return new Date(time).toISOString()
}
