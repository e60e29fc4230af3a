/**
 * Proves that rows which a complete listing lacks are gone. Missing is no proof: each is asked for by its id. Gone means the
 * service's own 404, an answer that names another account, or 200 while it was missing from two listings a day apart.
 */
import { BankapiError } from '../errors.ts'
import { dayMs, type RunContext } from './run-context.ts'

/** A stored row that a complete listing lacks. */
export interface MissingRow {
  readonly id: string
  readonly missing_since: string | null
}

/** The answer to asking for a row by its id. */
export type Answer<T> =
  | { readonly is: 'not_found' }
  | { readonly is: 'moved' }
  | { readonly is: 'there'; readonly item: T }

export interface Proof<R, T> {
  readonly gone: readonly { readonly row: R; readonly because: 'not_found' | 'moved' | 'unlisted' }[]
  /** Still there, though not listed. */
  readonly there: readonly { readonly row: R; readonly item: T }[]
}

/** More of a stream's rows are gone than a service loses: nothing of it is marked. */
class TooManyGoneError extends BankapiError {
  override readonly name = 'TooManyGoneError'

  constructor(gone: number, live: number, what: string) {
    super(`More than 20 % of the ${live} ${what} are gone at once (${gone} so far)`, {
      code: 'too_many_gone',
      exit: 'operationFailed',
      hint: 'Nothing of it was marked. If the service is right, run: bankapi sync --accept-gone',
    })
  }
}

/** The account itself is gone, so that what is not found of it may come back with it. */
export class AccountGoneError extends BankapiError {
  override readonly name = 'AccountGoneError'

  constructor(accountId: string) {
    super(`The account ${accountId} went away while it was read`, {
      code: 'account_gone',
      exit: 'notFound',
      hint: 'The next run reads what is there then',
    })
  }
}

const MAX_SHARE = 0.2
const MIN_ROWS = 10

/**
 * Asks for each missing row. `live` is how many rows the stream has that are not gone, the missing ones included.
 * @throws TooManyGoneError once more than 20 % of ten or more rows are gone, unless the run accepts it.
 */
export async function proveGone<R extends MissingRow, T>(
  context: Pick<RunContext, 'reader' | 'acceptGone'>,
  missing: readonly R[],
  {
    live,
    what,
    ask,
    isLoss = () => true,
  }: {
    readonly live: number
    /** For the error: `transactions of acc_…`. */
    readonly what: string
    readonly ask: (row: R) => Promise<Answer<T>>
    /** Whether a row that is gone counts as lost; by default every one. */
    readonly isLoss?: (row: R) => boolean
  },
): Promise<Proof<R, T>> {
  const gone: { row: R; because: 'not_found' | 'moved' | 'unlisted' }[] = []
  const there: { row: R; item: T }[] = []
  const now = context.reader.now()
  const bounded = !context.acceptGone && live >= MIN_ROWS
  let lost = 0
  const answer = async (row: R) => {
    const found = await ask(row)
    if (found.is === 'there') {
      const missingFor = row.missing_since === null ? 0 : now - Date.parse(row.missing_since)
      if (missingFor < dayMs) {
        there.push({ row, item: found.item })
        return
      }
      gone.push({ row, because: 'unlisted' })
    } else gone.push({ row, because: found.is })
    if (isLoss(row)) lost += 1
    if (bounded && lost > MAX_SHARE * live) throw new TooManyGoneError(lost, live, what)
  }
  // As many at once as the limiter would admit anyway.
  const left = [...missing]
  const worker = async () => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) await answer(row)
  }
  await Promise.all(Array.from({ length: Math.min(8, left.length) }, worker))
  return { gone, there }
}
