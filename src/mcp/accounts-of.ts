/** The accounts that a call is about, and their transactions by date. */
import * as z from 'zod'
import { items } from '../api/pages.ts'
import type { Account } from '../contract/accounts.ts'
import { pageSize } from '../contract/service.ts'
import { BankapiError } from '../errors.ts'
import { Limiter } from '../workflows/limiter.ts'
import { dateOf, type Period, transactionsByDate } from '../workflows/transactions-by-date.ts'
import type { Call } from './assistant.ts'
import { clientOf } from './client-of.ts'

export const AccountInput = z.string().max(200).optional().describe('Without it all of the client')

export interface Subject {
  readonly client_id?: string | undefined
  readonly account_id?: string | undefined
}

/** No further period is read after this, so that an answer comes in seconds. */
const MAX_MS = 15_000
const MAX_REQUESTS = 120
/** Each account takes a request per period; eight periods are ten years of few transactions. */
const MAX_REQUESTS_PER_ACCOUNT = 8

/** Requests at once. */
export function limiterOf({ clock }: Call): Limiter {
  return new Limiter({ clock, concurrency: 4 })
}

/** One account, or all of the Client. @throws BankapiError */
export async function accountsOf(call: Call, { client_id, account_id }: Subject): Promise<Account[]> {
  const { api, signal } = call
  const client = { client_id: clientOf(call, client_id) }
  if (account_id !== undefined) return [await api.accounts.get({ ...client, account_id }, { signal })]
  return Array.fromAsync(items(api.accounts.list, { ...client, limit: pageSize.max }, { signal }))
}

/**
 * Transactions of these days, the newest first, until the bound of a call.
 * @throws BankapiError
 */
export async function* periodsOf(
  call: Call,
  subject: Subject,
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
): AsyncGenerator<Period> {
  if (from !== undefined && to !== undefined && from > to) {
    throw new BankapiError(`from ${from} is after to ${to}`, {
      code: 'invalid_period',
      exit: 'usage',
      hint: 'Turn them around',
    })
  }
  const { api, signal, clock, now } = call
  const started = clock.elapsed()
  const accounts = await accountsOf(call, subject)
  const most = MAX_REQUESTS + MAX_REQUESTS_PER_ACCOUNT * accounts.length
  yield* transactionsByDate(api, {
    ...{ accounts, from, to, signal },
    clientId: clientOf(call, subject.client_id),
    today: dateOf(now()),
    limiter: limiterOf(call),
    isOver: (requests) => requests >= most || clock.elapsed() - started >= MAX_MS,
  })
}
