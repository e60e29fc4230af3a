/** Asks the service whether a mirror that is only read is of the customer whose key is used. */
import type { Api } from '../api/api.ts'
import type { Mirror } from './mirror/mirror.ts'
import { MirrorError } from './mirror/mirror-error.ts'
import { isNotFound } from './reader.ts'

/** Clients that the service is asked for. */
export const CHECKED_CLIENTS = 3

/** The Clients that the mirror has had longest and that are there. */
export function checkedClients({ db }: Mirror): Promise<{ readonly id: string }[]> {
  return db
    .selectFrom('clients')
    .select('id')
    .where('gone_at', 'is', null)
    .orderBy('first_seen_at')
    .limit(CHECKED_CLIENTS)
    .execute()
}

/**
 * Resolves once the service knows one of three Clients. Where it gives no answer, a mirror is taken for that of the customer only
 * when `sameAddress` says that it was made at this address.
 * @throws MirrorError `other_customer`.
 */
export async function assertSameCustomer(
  mirror: Mirror,
  {
    api,
    signal,
    sameAddress,
  }: { readonly api: Api; readonly signal: AbortSignal; readonly sameAddress: boolean },
): Promise<void> {
  const known = await checkedClients(mirror)
  let unanswered = 0
  for (const { id } of known) {
    try {
      await api.connections.list({ client_id: id, limit: 1 }, { signal })
      return
    } catch (error) {
      if (!isNotFound(error)) unanswered += 1
    }
  }
  if (known.length === 0 || (unanswered > 0 && sameAddress)) return
  throw new MirrorError(
    'other_customer',
    unanswered > 0
      ? `The mirror ${mirror.shown} was made at another address, and the service does not say whose it is.`
      : `The mirror ${mirror.shown} is of another customer: the service knows none of its Clients with this key.`,
    'Use the key that the mirror was made with, or another mirror: BANKAPI_SYNC_TO',
  )
}
