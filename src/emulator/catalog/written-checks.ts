/** Makes the checks written on an FDE account, with their transactions and the text read off the image. */
import type { Booking } from './activity.ts'
import { addDays } from './calendar.ts'
import { transaction } from './new-transactions.ts'
import type { Random } from './random.ts'
import type { SeededAccount, SeededCheck, SeededTransaction } from './seed-rows.ts'

export interface CheckBook {
  readonly account: Pick<SeededAccount, 'id' | 'source' | 'type' | 'subtype' | 'iso_currency_code'>
  readonly bankName: string
  /** First and last day, both included. */
  readonly from: string
  readonly through: string
  readonly random: Random
}

const payees: readonly (readonly [name: string, memo: string])[] = [
  ['Oak Street Daycare', 'March tuition'],
  ['Østby Plumbing & Heating', 'Invoice 2207'],
  ['Hélène Dubois', 'Catering deposit'],
  ['Town of Larkspur', 'Water and sewer'],
  ['Brûlé & Daughters Roofing', 'Second instalment'],
  ['St. Álvaro Parish', 'Autumn fair'],
]

const daysApart = 12
const firstNumber = 1041

/** A check about every twelve days, oldest first, each with the transaction it belongs to. */
export function writtenChecks(book: CheckBook): { check: SeededCheck; transaction: SeededTransaction }[] {
  const written: { check: SeededCheck; transaction: SeededTransaction }[] = []
  let day = addDays(book.from, 4)
  for (let number = firstNumber; day <= book.through; number += 1) {
    written.push(writtenCheck(book, number, day))
    day = addDays(day, book.random.int(daysApart - 4, daysApart + 4))
  }
  return written
}

function writtenCheck({ account, bankName, random }: CheckBook, number: number, date: string) {
  const [payee, memo] = random.pick(payees)
  const amount = random.int(40, 480) + random.pick([0, 0.5, 0.75])
  const booking: Booking = {
    date,
    amount: -amount,
    description: `CHECK ${number}`,
    merchant_name: null,
    category: 'check',
    authorized: false,
  }
  const check: SeededCheck = {
    id: `chk_FDE_${random.hex(12)}`,
    account_id: account.id,
    source: account.source,
    check_number: String(number),
    amount,
    // Banks often report only the number; the name is then known from the picture, if at all.
    pay_to: number % 2 === 0 ? null : payee,
    description: booking.description,
    transaction_date: date,
    ...recognised(number, { payee, memo, amount, bankName, date }),
  }
  return { check, transaction: transaction(account, booking, false, random) }
}

interface Written {
  readonly payee: string
  readonly memo: string
  readonly amount: number
  readonly bankName: string
  readonly date: string
}

/** Of three checks one is read in full, one in part and with a mistake, and one not at all. */
function recognised(
  number: number,
  { payee, memo, amount, bankName, date }: Written,
): Pick<SeededCheck, 'ocr'> {
  const check_date = addDays(date, -3)
  switch (number % 3) {
    case 0:
      return {
        ocr: { pay_to: payee, amount, check_number: String(number), bank_name: bankName, check_date, memo },
      }
    case 1:
      return {
        ocr: {
          pay_to: payee.replaceAll('l', '1'),
          amount,
          check_number: null,
          bank_name: bankName,
          check_date: null,
          memo: null,
        },
      }
    default:
      return {}
  }
}
