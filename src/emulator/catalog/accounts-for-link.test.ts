import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Account } from '../../contract/accounts.ts'
import { institutions } from '../institutions/catalog.ts'
import { accountOpenedLater, accountsForLink, type Link } from './accounts-for-link.ts'
import { addDays } from './calendar.ts'
import { createRandom } from './random.ts'

const at = 'T10:00:00.000Z'

function link(institution: Link['institution'], seed: number, today: string): Link {
  return {
    institution,
    bankAccountId: '7f3a',
    clientId: 'cli_1',
    connectionId: `con_${institution.source}_7f3a`,
    today,
    at: `${today}${at}`,
    random: createRandom(seed),
  }
}

const links = fc.tuple(
  fc.constantFrom(...institutions),
  fc.nat(),
  fc.integer({ min: 0, max: 800 }).map((day) => addDays('2025-01-01', day)),
)

describe('accountsForLink', () => {
  it('gives a checking, a savings and a card account of the institution’s source, stored at the time of the link', () => {
    fc.assert(
      fc.property(links, ([institution, seed, today]) => {
        const accounts = accountsForLink(link(institution, seed, today)).map(({ account }) =>
          Account.parse(account),
        )
        expect(accounts.map(({ type }) => type)).toEqual(['checking', 'savings', 'credit_card'])
        for (const { id, source, connection_id, client_id, created_at } of accounts) {
          expect(source).toBe(institution.source)
          expect(id.startsWith(`acc_${source}_7f3a`)).toBe(true)
          expect([connection_id, client_id]).toEqual([`con_${source}_7f3a`, 'cli_1'])
          expect(created_at).toBe(`${today}${at}`)
        }
        expect(new Set(accounts.map(({ id }) => id)).size).toBe(3)
      }),
      { numRuns: 40 },
    )
  })

  it('gives a history up to the day of the link, available balances on AGGREGATOR_B and checks on FDE only', () => {
    fc.assert(
      fc.property(links, ([institution, seed, today]) => {
        for (const { account, transactions, checks } of accountsForLink(link(institution, seed, today))) {
          expect(transactions.length).toBeGreaterThan(0)
          expect(transactions.every(({ date }) => date <= today)).toBe(true)
          if (institution.source !== 'AGGREGATOR_B') expect(account.available_balance).toBeNull()
          if (institution.source === 'FDE') expect(account.liabilities).toBeNull()
          expect(checks.length > 0).toBe(institution.source === 'FDE' && account.type === 'checking')
        }
      }),
      { numRuns: 40 },
    )
  })

  it('tells two links of the same bank differently, and one link the same way again', () => {
    const [institution] = institutions
    if (!institution) throw new Error('no institution')
    const random = createRandom(5)
    const first = accountsForLink({ ...link(institution, 0, '2026-11-20'), random })
    const second = accountsForLink({ ...link(institution, 0, '2026-11-20'), random })
    expect(second).not.toEqual(first)
    expect(accountsForLink(link(institution, 5, '2026-11-20'))).toEqual(first)
  })
})

describe('accountOpenedLater', () => {
  it('gives one more account with an id no account of the link has', () => {
    fc.assert(
      fc.property(links, ([institution, seed, today]) => {
        const made = link(institution, seed, today)
        const ids = accountsForLink(made).map(({ account }) => account.id)
        const { account } = accountOpenedLater(made, 4)
        expect(ids).not.toContain(account.id)
        expect(Account.parse(account)).toMatchObject({ type: 'savings', subtype: 'money_market' })
      }),
      { numRuns: 20 },
    )
  })
})
