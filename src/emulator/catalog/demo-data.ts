/** Makes two customers with months of data. The same seed and day give the same data; account ids never change. */
import type { ConnectionSource } from '../../contract/shapes.ts'
import { findInstitution } from '../institutions/catalog.ts'
import { type AccountPlan, demoPlans, otherPlans } from './account-plans.ts'
import { accountNumber, accountSeed, type Holding } from './account-seed.ts'
import { addDays, addMonths, firstOfMonth } from './calendar.ts'
import { createRandom, seedFrom } from './random.ts'
import type { AccountSeed, ClientSeed, ConnectionSeed, SeedData } from './seed-rows.ts'

/** Whole months of history before the current one. */
const monthsOfHistory = 6

/** Input of the seeded data. */
interface SeedInput {
  readonly seed: number
  /** The last day with data: the day before the emulator's first, so that the first refresh finds something. */
  readonly lastDay: string
}

/** The seeded customers as they stand on `today`. Throws RangeError when `today` is no YYYY-MM-DD date. */
export function demoData(seed: number, today: string): SeedData {
  const input = { seed, lastDay: addDays(today, -1) }
  return {
    customers: [
      { name: 'A', clients: [demoClient(input)] },
      { name: 'B', clients: [otherClient(input)] },
    ],
  }
}

function demoClient(input: SeedInput): ClientSeed {
  const id = 'cli_demo'
  return {
    id,
    email: 'zoe.nunez@mail.example',
    name: 'Zoë Núñez',
    external_id: 'demo-1',
    created_at: createdAt(input),
    connections: [
      connection(input, id, 'AGGREGATOR_A', '1001', 'ins_a_ok', demoPlans.AGGREGATOR_A_1001),
      connection(input, id, 'AGGREGATOR_B', '2001', 'ins_b_ok', demoPlans.AGGREGATOR_B_2001),
      connection(input, id, 'FDE', '123', 'ins_fde_ok', demoPlans.FDE_123),
    ],
    pdfAccounts: pdfAccounts(input, id, '5001', demoPlans.PDF_5001),
  }
}

function otherClient(input: SeedInput): ClientSeed {
  const id = 'cli_other'
  return {
    id,
    email: 'sam@othershop.example',
    name: 'Sam Okafor',
    external_id: 'other-1',
    created_at: createdAt(input),
    connections: [
      connection(input, id, 'AGGREGATOR_A', '9001', 'ins_a_ok', otherPlans.AGGREGATOR_A_9001),
      connection(input, id, 'FDE', '909', 'ins_fde_ok', otherPlans.FDE_909),
    ],
    pdfAccounts: [],
  }
}

function connection(
  input: SeedInput,
  clientId: string,
  source: ConnectionSource,
  bankAccountId: string,
  institutionId: string,
  plans: readonly AccountPlan[],
): ConnectionSeed {
  const id = `con_${source}_${bankAccountId}`
  const refreshedAt = `${input.lastDay}T23:40:00.000Z`
  const holding = {
    source,
    clientId,
    connectionId: id,
    bankName: findInstitution(institutionId)?.name ?? institutionId,
    from: historyStart(input),
    through: input.lastDay,
    createdAt: createdAt(input),
    refreshedAt,
  }
  return {
    id,
    institution_id: institutionId,
    source,
    status: 'active',
    created_at: holding.createdAt,
    updated_at: refreshedAt,
    last_refreshed_at: refreshedAt,
    accounts: accounts(input, bankAccountId, plans, holding),
  }
}

/** Read out of uploads: whole months only, never refreshed, under no Connection. */
function pdfAccounts(input: SeedInput, clientId: string, number: string, plans: readonly AccountPlan[]) {
  return accounts(input, number, plans, {
    source: 'PDF',
    clientId,
    connectionId: null,
    bankName: 'Uploaded',
    from: addMonths(firstOfMonth(input.lastDay), -3),
    through: addDays(firstOfMonth(input.lastDay), -1),
    createdAt: createdAt(input),
    refreshedAt: null,
  })
}

/** Every account draws from a sequence of its own: one account more changes none of the others. */
function accounts(
  { seed }: SeedInput,
  bankAccountId: string,
  plans: readonly AccountPlan[],
  holding: Omit<Holding, 'number' | 'random'>,
): AccountSeed[] {
  return plans.map((plan, index) => {
    const number = accountNumber(bankAccountId, index + 1)
    const random = createRandom(seedFrom(seed, holding.source, number))
    return accountSeed(plan, { ...holding, number, random })
  })
}

function historyStart({ lastDay }: SeedInput): string {
  return addMonths(firstOfMonth(lastDay), -monthsOfHistory)
}

/** Linked three months in: the bank gave the months before as history. */
function createdAt(input: SeedInput): string {
  return `${addMonths(historyStart(input), 3)}T09:30:00.000Z`
}
