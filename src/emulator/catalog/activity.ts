/** Makes the bookings of an account on a day: regular ones (salary, rent, interest) and random purchases. */
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
const maxPerDay = 3

/** Monthly, in US dollars. */
export const mortgageInstalment = 1612.4

/** `day` is the day of the month; the last day of the month is 'last'. Amounts in US dollars. */
interface Regular {
  readonly day: number | 'last'
  readonly min: number
  readonly max: number
  readonly description: string
  readonly merchant?: string
  readonly category: string | null
}

const regularByKind = new Map<string, readonly Regular[]>(
  Object.entries({
    checking: [
      { day: 1, min: -1450, max: -1450, description: 'RENT MAPLEWOOD PROPERTIES', category: 'rent' },
      {
        day: 5,
        min: -140,
        max: -85,
        description: 'CITY POWER & WATER AUTOPAY',
        merchant: 'City Power & Water',
        category: 'utilities',
      },
      {
        day: 12,
        min: -55,
        max: -55,
        description: 'TELLA MOBILE',
        merchant: 'Tella Mobile',
        category: 'utilities',
      },
      {
        day: 15,
        min: 1760,
        max: 1760,
        description: 'PAYROLL JØRGENSEN & FILS LLC',
        merchant: 'Jørgensen & Fils',
        category: 'income',
      },
      { day: 20, min: -1010, max: -860, description: 'CARD PAYMENT THANK YOU', category: 'card_payment' },
      { day: 26, min: -300, max: -300, description: 'TRANSFER TO SAVINGS', category: 'transfer' },
      {
        day: 'last',
        min: 1760,
        max: 1760,
        description: 'PAYROLL JØRGENSEN & FILS LLC',
        merchant: 'Jørgensen & Fils',
        category: 'income',
      },
    ],
    savings: [
      { day: 26, min: 300, max: 300, description: 'TRANSFER FROM CHECKING', category: 'transfer' },
      { day: 'last', min: 18, max: 42, description: 'INTEREST PAID', category: 'interest' },
    ],
    certificate_of_deposit: [
      { day: 'last', min: 55, max: 58, description: 'CD INTEREST CREDITED', category: 'interest' },
    ],
    credit_card: [
      {
        day: 3,
        min: -11.99,
        max: -11.99,
        description: 'REELBOX SUBSCRIPTION',
        merchant: 'Reelbox',
        category: 'subscriptions',
      },
      {
        day: 20,
        min: 860,
        max: 1010,
        description: 'PAYMENT RECEIVED - THANK YOU',
        category: 'card_payment',
      },
    ],
    mortgage: [
      {
        day: 1,
        min: mortgageInstalment,
        max: mortgageInstalment,
        description: 'MORTGAGE PAYMENT RECEIVED',
        category: 'loan_payment',
      },
      { day: 1, min: -1010, max: -980, description: 'INTEREST CHARGED', category: 'interest' },
    ],
    loan: [
      { day: 10, min: 240, max: 240, description: 'LOAN PAYMENT RECEIVED', category: 'loan_payment' },
      { day: 10, min: -62, max: -48, description: 'INTEREST CHARGED', category: 'interest' },
    ],
    line_of_credit: [
      { day: 7, min: -450, max: -120, description: 'CREDIT LINE ADVANCE', category: 'transfer' },
      { day: 22, min: 150, max: 400, description: 'CREDIT LINE PAYMENT', category: 'loan_payment' },
    ],
    investment: [
      { day: 2, min: 250, max: 250, description: 'CONTRIBUTION', category: 'transfer' },
      {
        day: 17,
        min: 14,
        max: 62,
        description: 'DIVIDEND REINVESTED BROAD MARKET FUND',
        category: 'investment',
      },
      { day: 'last', min: -3.5, max: -3.5, description: 'RECORDKEEPING FEE', category: 'fees' },
    ],
    other: [{ day: 8, min: -20, max: 60, description: 'ADJUSTMENT', category: null }],
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

/** Everything booked on `account` on `date`, at most `maxPerDay`, regular ones first. */
export function activityOn(account: ActivityAccount, date: string, random: Random): readonly Booking[] {
  const isLast = dayOfMonth(addDays(date, 1)) === 1
  const regular = regularOf(account)
    .filter(({ day }) => day === dayOfMonth(date) || (day === 'last' && isLast))
    .map((rule) => regularBooking(rule, account.iso_currency_code, date, random))
  const purchases = Array.from({ length: purchaseCount(account.type, random) }, () =>
    purchase(account.iso_currency_code, date, random),
  )
  return [...regular, ...purchases].slice(0, maxPerDay)
}

function regularBooking(rule: Regular, currency: string, date: string, random: Random): Booking {
  return {
    date,
    amount: amountBetween(rule.min, rule.max, currency, random),
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
    amount: -amountBetween(merchant.min, merchant.max, currency, random),
    description: merchant.description,
    merchant_name: merchant.name,
    category: merchant.category,
    authorized: true,
  }
}

function amountBetween(min: number, max: number, currency: string, random: Random): number {
  return roundMoney((min + random.next() * (max - min)) * scaleOf(currency), currency)
}
