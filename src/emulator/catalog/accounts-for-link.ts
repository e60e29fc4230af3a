/** Makes the accounts of a bank that a user links, and those opened there later. */
import type { CatalogInstitution } from '../institutions/catalog.ts'
import type { AccountPlan } from './account-plans.ts'
import { accountNumber, accountSeed, type Holding } from './account-seed.ts'
import { addMonths, firstOfMonth } from './calendar.ts'
import { createRandom, type Random } from './random.ts'
import type { AccountSeed } from './seed-rows.ts'

export interface Link {
  readonly institution: Pick<CatalogInstitution, 'name' | 'source'>
  /** The part of the canonical Connection id after the source. */
  readonly bankAccountId: string
  readonly clientId: string
  readonly connectionId: string
  /** YYYY-MM-DD: the last day of the history. */
  readonly today: string
  /** Date-time of the link, for `created_at` and `last_refreshed_at`; the start of `today` unless said. */
  readonly at?: string
  readonly random: Random
}

const monthsOfHistory = 3

/** Three accounts with about three months of history: checking, savings and a card. Draws once from `random` per account. */
export function accountsForLink(link: Link): AccountSeed[] {
  const from = addMonths(firstOfMonth(link.today), -monthsOfHistory)
  return [checking(link), savings(link), card(link)].map((plan, index) => seed(plan, link, index + 1, from))
}

/**
 * An account the user opened at the bank after linking, the `position`-th of the Connection (4 or more): what a refresh
 * (AGGREGATOR_B, FDE) or a reauthorize (AGGREGATOR_A) discovers.
 */
export function accountOpenedLater(link: Link, position: number): AccountSeed {
  const plan = { name: 'New Money Market', subtype: 'money_market', mask: mask(link.random), balance: 500 }
  return seed(plan, link, position, firstOfMonth(link.today))
}

function seed(plan: AccountPlan, link: Link, position: number, from: string): AccountSeed {
  const at = link.at ?? `${link.today}T00:00:00.000Z`
  const holding: Holding = {
    source: link.institution.source,
    number: accountNumber(link.bankAccountId, position),
    clientId: link.clientId,
    connectionId: link.connectionId,
    bankName: link.institution.name,
    from,
    through: link.today,
    createdAt: at,
    refreshedAt: at,
    random: createRandom(link.random.int(0, 2 ** 32 - 1)),
  }
  return accountSeed(plan, holding)
}

function checking({ institution, random }: Link): AccountPlan {
  return {
    name: 'Checking',
    subtype: 'checking',
    mask: mask(random),
    balance: money(random, 400, 6000),
    available: institution.source === 'AGGREGATOR_B',
    checks: institution.source === 'FDE',
  }
}

/** AGGREGATOR_B reports an available balance for some accounts only: not for this one. */
function savings({ random }: Link): AccountPlan {
  return { name: 'Savings', subtype: 'savings', mask: mask(random), balance: money(random, 1000, 25000) }
}

/** FDE banks state no terms. */
function card({ institution: { source }, random }: Link): AccountPlan {
  return {
    name: 'Credit Card',
    subtype: 'credit_card',
    mask: mask(random),
    balance: -money(random, 20, 1800),
    available: source === 'AGGREGATOR_B',
    creditLimit: 5000,
    ...(source === 'FDE'
      ? {}
      : { terms: source === 'AGGREGATOR_A' ? ('full' as const) : ('partial' as const) }),
  }
}

function mask(random: Random): string {
  return String(random.int(0, 9999)).padStart(4, '0')
}

/** Between two whole amounts, with cents. */
function money(random: Random, min: number, max: number): number {
  return random.int(min * 100, max * 100) / 100
}
