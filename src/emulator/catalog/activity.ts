/** What happens on an account on a given day: what is regular (salary, rent, interest) and what is chance. */
import type { Account } from '../../contract/accounts.ts'
import { addDays, dayOfMonth } from './calendar.ts'
import { merchantsIn, scaleOf } from './merchants.ts'
import { roundMoney } from './money.ts'
import type { Random } from './random.ts'

/** A booking before it has an id. `amount` in major units: money out negative, money in positive. */
export interface Booking {
  readonly date: string
  readonly amount: number
  readonly description: string
  readonly merchant_name: string | null
  readonly category: string | null
  /** Bought with a card: the bank holds an authorization first. */
  readonly authorized: boolean
}

export type ActivityAccount = Pick<Account, 'type' | 'subtype' | 'iso_currency_code'>

/** At most this many bookings on one account and day. */
const mostPerDay = 3

/** Monthly, in US dollars. */
export const mortgageInstalment = 1612.4

/** `day` is the day of the month; the last day of the month is 'last'. Amounts in US dollars. */
interface Regular {
  readonly day: number | 'last'
  readonly least: number
  readonly most: number
  readonly description: string
  readonly merchant?: string
  readonly category: string | null
}

const regularByKind = new Map<string, readonly Regular[]>(
  Object.entries({
    checking: [
      { day: 1, least: -1450, most: -1450, description: 'RENT MAPLEWOOD PROPERTIES', category: 'rent' },
      {
        day: 5,
        least: -140,
        most: -85,
        description: 'CITY POWER & WATER AUTOPAY',
        merchant: 'City Power & Water',
        category: 'utilities',
      },
      {
        day: 12,
        least: -55,
        most: -55,
        description: 'TELLA MOBILE',
        merchant: 'Tella Mobile',
        category: 'utilities',
      },
      {
        day: 15,
        least: 1760,
        most: 1760,
        description: 'PAYROLL JØRGENSEN & FILS LLC',
        merchant: 'Jørgensen & Fils',
        category: 'income',
      },
      { day: 20, least: -1010, most: -860, description: 'CARD PAYMENT THANK YOU', category: 'card_payment' },
      { day: 26, least: -300, most: -300, description: 'TRANSFER TO SAVINGS', category: 'transfer' },
      {
        day: 'last',
        least: 1760,
        most: 1760,
        description: 'PAYROLL JØRGENSEN & FILS LLC',
        merchant: 'Jørgensen & Fils',
        category: 'income',
      },
    ],
    savings: [
      { day: 26, least: 300, most: 300, description: 'TRANSFER FROM CHECKING', category: 'transfer' },
      { day: 'last', least: 18, most: 42, description: 'INTEREST PAID', category: 'interest' },
    ],
    certificate_of_deposit: [
      { day: 'last', least: 55, most: 58, description: 'CD INTEREST CREDITED', category: 'interest' },
    ],
    credit_card: [
      {
        day: 3,
        least: -11.99,
        most: -11.99,
        description: 'REELBOX SUBSCRIPTION',
        merchant: 'Reelbox',
        category: 'subscriptions',
      },
      {
        day: 20,
        least: 860,
        most: 1010,
        description: 'PAYMENT RECEIVED - THANK YOU',
        category: 'card_payment',
      },
    ],
    mortgage: [
      {
        day: 1,
        least: mortgageInstalment,
        most: mortgageInstalment,
        description: 'MORTGAGE PAYMENT RECEIVED',
        category: 'loan_payment',
      },
      { day: 1, least: -1010, most: -980, description: 'INTEREST CHARGED', category: 'interest' },
    ],
    loan: [
      { day: 10, least: 240, most: 240, description: 'LOAN PAYMENT RECEIVED', category: 'loan_payment' },
      { day: 10, least: -62, most: -48, description: 'INTEREST CHARGED', category: 'interest' },
    ],
    line_of_credit: [
      { day: 7, least: -450, most: -120, description: 'CREDIT LINE ADVANCE', category: 'transfer' },
      { day: 22, least: 150, most: 400, description: 'CREDIT LINE PAYMENT', category: 'loan_payment' },
    ],
    investment: [
      { day: 2, least: 250, most: 250, description: 'CONTRIBUTION', category: 'transfer' },
      {
        day: 17,
        least: 14,
        most: 62,
        description: 'DIVIDEND REINVESTED BROAD MARKET FUND',
        category: 'investment',
      },
      { day: 'last', least: -3.5, most: -3.5, description: 'RECORDKEEPING FEE', category: 'fees' },
    ],
    other: [{ day: 8, least: -20, most: 60, description: 'ADJUSTMENT', category: null }],
  }),
)

/** Chance of none, one, two or three purchases on a day. */
const purchasesPerDay: Readonly<Record<string, readonly number[]>> = {
  checking: [0.55, 0.3, 0.12, 0.03],
  credit_card: [0.35, 0.4, 0.17, 0.08],
}

/** Subtypes that move differently from their type have rows of their own; the rest follow the type. */
function regularOf({ type, subtype }: ActivityAccount): readonly Regular[] {
  return regularByKind.get(subtype) ?? regularByKind.get(type) ?? []
}

/** Everything booked on `account` on `date`, at most `mostPerDay`, what is regular first. */
export function activityOn(account: ActivityAccount, date: string, random: Random): readonly Booking[] {
  const isLast = dayOfMonth(addDays(date, 1)) === 1
  const regular = regularOf(account)
    .filter(({ day }) => day === dayOfMonth(date) || (day === 'last' && isLast))
    .map((rule) => regularBooking(rule, account.iso_currency_code, date, random))
  const purchases = Array.from({ length: purchaseCount(account.type, random) }, () =>
    purchase(account.iso_currency_code, date, random),
  )
  return [...regular, ...purchases].slice(0, mostPerDay)
}

function regularBooking(rule: Regular, currency: string, date: string, random: Random): Booking {
  return {
    date,
    amount: amountBetween(rule.least, rule.most, currency, random),
    description: rule.description,
    merchant_name: rule.merchant ?? null,
    category: rule.category,
    authorized: false,
  }
}

function purchaseCount(type: string, random: Random): number {
  const chances = purchasesPerDay[type]
  if (!chances) return 0
  let left = random.next()
  const count = chances.findIndex((chance) => {
    left -= chance
    return left < 0
  })
  return Math.max(count, 0)
}

/** A card purchase at one of the currency's merchants. */
export function purchase(currency: string, date: string, random: Random): Booking {
  const merchant = random.pick(merchantsIn(currency))
  return {
    date,
    amount: -amountBetween(merchant.least, merchant.most, currency, random),
    description: merchant.description,
    merchant_name: merchant.name,
    category: merchant.category,
    authorized: true,
  }
}

function amountBetween(least: number, most: number, currency: string, random: Random): number {
  return roundMoney((least + random.next() * (most - least)) * scaleOf(currency), currency)
}
