import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Account, type AccountType, accountTypes } from '../../contract/accounts.ts'
import { Check } from '../../contract/checks.ts'
import { Client } from '../../contract/clients.ts'
import { connectionIdForm } from '../../contract/ids.ts'
import { Statement } from '../../contract/statements.ts'
import { Transaction } from '../../contract/transactions.ts'
import { withoutNulls } from '../engine/without-nulls.ts'
import { findInstitution } from '../institutions/catalog.ts'
import { typeOfSubtype } from './account-plans.ts'
import { addDays } from './calendar.ts'
import { demoData } from './demo-data.ts'
import { sumMoney } from './money.ts'
import type { AccountSeed, SeedData } from './seed-rows.ts'

const today = '2026-11-20'
const world = demoData(1, today)
const worlds = fc
  .record({ seed: fc.nat(), day: fc.integer({ min: 0, max: 800 }) })
  .map(({ seed, day }) => demoData(seed, addDays('2025-01-01', day)))

function accountsOf({ customers }: SeedData): AccountSeed[] {
  return customers.flatMap(({ clients }) =>
    clients.flatMap(({ connections, pdfAccounts }) => [
      ...connections.flatMap(({ accounts }) => accounts),
      ...pdfAccounts,
    ]),
  )
}

function named(name: string): AccountSeed {
  const found = accountsOf(world).find(({ account }) => account.name === name)
  if (!found) throw new Error(`no account ${name}`)
  return found
}

/** For every account of worlds of many seeds and days. */
function everyAccount(check: (seed: AccountSeed) => void): void {
  fc.assert(
    fc.property(worlds, (told) => {
      accountsOf(told).forEach(check)
    }),
    { numRuns: 15 },
  )
}

describe('who is there', () => {
  it('has customer A with cli_demo and its three Connections, and customer B with data of its own', () => {
    const [a, b] = world.customers
    expect([a?.name, b?.name]).toEqual(['A', 'B'])
    expect(a?.clients[0]?.id).toBe('cli_demo')
    expect(a?.clients[0]?.connections.map(({ id, institution_id }) => [id, institution_id])).toEqual([
      ['con_AGGREGATOR_A_1001', 'ins_a_ok'],
      ['con_AGGREGATOR_B_2001', 'ins_b_ok'],
      ['con_FDE_123', 'ins_fde_ok'],
    ])
    expect(b?.clients[0]?.id).toBe('cli_other')
    expect(b?.clients[0]?.connections.length).toBeGreaterThan(0)
  })

  it('gives every row an id of its own, in the form of the API', () => {
    const ids = accountsOf(world).flatMap(({ account, transactions, statements, checks }) => [
      account.id,
      ...[...transactions, ...statements, ...checks].map(({ id }) => id),
    ])
    expect(new Set(ids).size).toBe(ids.length)
    for (const { clients } of world.customers) {
      for (const client of clients) {
        Client.parse(client)
        for (const { id, source, institution_id } of client.connections) {
          expect(connectionIdForm(id)).toBe('canonical')
          expect(findInstitution(institution_id)?.source).toBe(source)
        }
      }
    }
  })

  it('has accounts of every type, and the subtypes collapse as the reference says', () => {
    const collapse: Record<string, AccountType> = {
      money_market: 'savings',
      certificate_of_deposit: 'savings',
      mortgage: 'loan',
      line_of_credit: 'loan',
      ira: 'investment',
      roth: 'investment',
      plan_401k: 'investment',
      bank: 'checking',
      unknown: 'other',
    }
    const rows = accountsOf(world).map(({ account }) => account)
    expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(accountTypes))
    for (const [subtype, type] of Object.entries(collapse)) {
      expect(rows.filter((row) => row.subtype === subtype).map((row) => row.type)).toEqual([type])
    }
  })

  it('collapses a subtype the vocabulary does not have to other, whatever the word', () => {
    for (const subtype of ['brokerage', 'constructor', '__proto__', ''])
      expect(typeOfSubtype(subtype)).toBe('other')
  })

  it('has accounts that are not in dollars', () => {
    expect(new Set(accountsOf(world).map(({ account }) => account.iso_currency_code))).toEqual(
      new Set(['USD', 'EUR', 'JPY']),
    )
  })

  it('leaves a PDF account without a Connection, a refresh or statements', () => {
    const pdf = accountsOf(world).filter(({ account }) => account.source === 'PDF')
    expect(pdf).toHaveLength(1)
    expect(pdf[0]?.account).toMatchObject({ connection_id: null, last_refreshed_at: null })
    expect(pdf[0]?.statements).toEqual([])
    expect(pdf[0]?.transactions.length).toBeGreaterThan(0)
  })
})

describe('every row', () => {
  it('keeps to the contract', () => {
    everyAccount(({ account, transactions, statements, checks }) => {
      expect(Account.parse(account)).toEqual(account)
      for (const row of transactions) Transaction.parse(withoutNulls(row))
      for (const row of statements) Statement.parse(withoutNulls(row))
      for (const { ocr, ...row } of checks) {
        Check.parse({ ...withoutNulls(row), ocr: ocr && withoutNulls(ocr), download_url: '/v3/x' })
      }
      for (const row of [...transactions, ...statements, ...checks]) expect(row.account_id).toBe(account.id)
    })
  })

  it('lies before today and not after the last refresh', () => {
    for (const { account, transactions } of accountsOf(world)) {
      for (const { date } of transactions) {
        expect(date < today && date <= (account.last_refreshed_at ?? today)).toBe(true)
      }
    }
  })

  it('is the same for the same seed and day, and other for another seed', () => {
    expect(demoData(1, today)).toEqual(world)
    expect(demoData(2, today)).not.toEqual(world)
  })
})

describe('an account agrees with its rows', () => {
  it('says the minimum date held as oldest_transaction_date', () => {
    everyAccount(({ account, transactions }) => {
      expect(account.oldest_transaction_date).toBe(transactions.map(({ date }) => date).sort()[0] ?? null)
    })
  })

  it('has the balance of its last statement plus what settled since', () => {
    everyAccount(({ account, transactions, statements }) => {
      const last = statements.at(-1)
      if (!last) return
      const since = transactions.filter(({ pending, date }) => !pending && date > last.statement_date)
      const expected = sumMoney(
        [last.closing_balance, ...since.map(({ amount }) => amount)],
        account.iso_currency_code,
      )
      expect(account.current_balance).toBe(expected)
    })
  })

  it('has a statement for every whole month, each opening where the one before closed, by what settled in it', () => {
    everyAccount(({ account, transactions, statements }) => {
      if (account.source === 'PDF') return
      expect(statements.length).toBeGreaterThanOrEqual(6)
      let opening = statements[0]?.opening_balance
      for (const { period_start, statement_date, opening_balance, closing_balance } of statements) {
        expect(opening_balance).toBe(opening)
        expect(period_start.endsWith('-01')).toBe(true)
        const within = transactions.filter(
          ({ pending, date }) => !pending && date >= period_start && date <= statement_date,
        )
        const amounts = within.map(({ amount }) => amount)
        expect(closing_balance).toBe(sumMoney([opening_balance, ...amounts], account.iso_currency_code))
        opening = closing_balance
      }
    })
  })

  it('has several months of transactions on the accounts people use daily, more than one page of them', () => {
    for (const name of ['Everyday Checking', 'Cash Rewards Card', 'Business Checking']) {
      expect(named(name).transactions.length).toBeGreaterThan(100)
    }
  })
})

describe('balances are signed from the holder’s view', () => {
  it('a card with a balance and an overdrawn checking account are negative, an overpaid card is positive', () => {
    expect(named('Cash Rewards Card').account.current_balance).toBeLessThan(0)
    expect(named('Joint Checking').account.current_balance).toBeLessThan(0)
    expect(named('Voyage Card (overpaid)').account.current_balance).toBeGreaterThan(0)
    expect(named('Home Mortgage').account.current_balance).toBeLessThan(0)
  })

  it('reports available_balance on AGGREGATOR_B only and there for some accounts only', () => {
    const reports = new Set<string>()
    for (const { account } of accountsOf(world)) {
      reports.add(`${account.source} ${account.available_balance === null ? 'does not' : 'does'}`)
    }
    expect([...reports].sort()).toEqual([
      'AGGREGATOR_A does not',
      'AGGREGATOR_B does',
      'AGGREGATOR_B does not',
      'FDE does not',
      'PDF does not',
    ])
  })

  it('reports as available on a card the limit less what is owed and held, not flipped in sign', () => {
    let held = 0
    everyAccount(({ account, transactions }) => {
      if (account.type !== 'credit_card' || account.available_balance === null) return
      const pending = transactions.filter((row) => row.pending).map(({ amount }) => amount)
      held += pending.length
      const limit = account.liabilities?.credit_limit ?? 0
      expect(account.available_balance).toBe(
        sumMoney([limit, account.current_balance ?? 0, ...pending], 'USD'),
      )
      expect(account.available_balance).toBe(account.liabilities?.available_credit)
      expect(account.available_balance).toBeGreaterThan(0)
    })
    expect(held).toBeGreaterThan(0)
  })

  it('states terms on liability accounts only, with positive limits and payments', () => {
    everyAccount(({ account }) => {
      if (!account.liabilities) return
      expect(['credit_card', 'loan']).toContain(account.type)
      for (const field of ['credit_limit', 'available_credit', 'minimum_payment'] as const) {
        const stated = account.liabilities[field]
        if (stated !== null && stated !== undefined) expect(stated).toBeGreaterThan(0)
      }
    })
    expect(named('Cash Rewards Card').account.liabilities?.statement_balance).toBeLessThan(0)
    expect(named('Home Equity Line').account.liabilities).not.toHaveProperty('minimum_payment')
    expect(named('Business Card').account.liabilities).toBeNull()
  })

  it('shows at most four digits of an account number, or none', () => {
    const masks = accountsOf(world).map(({ account }) => account.mask)
    expect(masks.every((mask) => mask === null || /^\d{1,4}$/.test(mask))).toBe(true)
    expect(masks).toContain(null)
  })
})

describe('pending charges and checks', () => {
  it('has pending charges on both aggregators whatever the seed, and none elsewhere', () => {
    const least = { 'Everyday Checking': 1, 'Cash Rewards Card': 2, 'Voyage Card (overpaid)': 1 }
    fc.assert(
      fc.property(worlds, (told) => {
        const pending = new Map<string, number>()
        for (const { account, transactions } of accountsOf(told)) {
          const count = transactions.filter((row) => row.pending).length
          if (count > 0) expect(account.source).toMatch(/^AGGREGATOR_/)
          pending.set(account.name, count)
        }
        for (const [name, count] of Object.entries(least)) {
          expect(pending.get(name)).toBeGreaterThanOrEqual(count)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('has checks on FDE only, some read in full, some in part, some not at all', () => {
    const checks = accountsOf(world).flatMap(({ checks }) => checks)
    expect(checks.every(({ source, id }) => source === 'FDE' && id.startsWith('chk_FDE_'))).toBe(true)
    const read = checks.map((row) =>
      'ocr' in row ? (row.ocr?.memo === null ? 'in part' : 'in full') : 'not',
    )
    expect(new Set(read)).toEqual(new Set(['in full', 'in part', 'not']))
  })

  it('has for every check the transaction it belongs to', () => {
    everyAccount(({ transactions, checks }) => {
      for (const { transaction_date, amount, description } of checks) {
        const belongs = transactions.filter(
          (row) =>
            row.date === transaction_date && row.description === description && row.amount === -(amount ?? 0),
        )
        expect(belongs).toHaveLength(1)
      }
    })
  })

  it('has names that are not plain ASCII', () => {
    const merchants = accountsOf(world).flatMap(({ transactions }) =>
      transactions.map((row) => row.merchant_name ?? ''),
    )
    expect(merchants.some((name) => /\p{Script=Han}|\p{Script=Hiragana}/u.test(name))).toBe(true)
    expect(merchants.some((name) => /[à-ÿ]/.test(name))).toBe(true)
  })
})
