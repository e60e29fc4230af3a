/** Reads every Client's Connections with their accounts from the service, for triage. */
import type { Api } from '../api/api.ts'
import { ApiResponseError } from '../api/errors.ts'
import type { CallOptions, Clock, ReplyHeaders } from '../api/options.ts'
import { items } from '../api/pages.ts'
import type { Account } from '../contract/accounts.ts'
import { pageSize } from '../contract/service.ts'
import {
  type AcrossOptions,
  type ConnectionInContext,
  connectionsAcross,
  isNotFound,
} from './across-clients.ts'
import { inOrder } from './in-order.ts'
import type { ClientConnections } from './triage.ts'

export interface ReadOptions extends AcrossOptions {
  readonly clock: Clock
  /** Called once when the key may not read accounts: none is known to be stale then. */
  readonly onNoAccounts?: () => void
}

/** Clients that have Connections, in the order of the service. @throws as `connectionsAcross` does. */
export async function* clientConnections(api: Api, options: ReadOptions): AsyncGenerator<ClientConnections> {
  const { limiter, signal, clock, onNoAccounts, onFailure, onGone, keepGoing } = options
  let mayReadAccounts = true
  const accountsOf = async (client: ClientConnections['client']) => {
    const client_id = client.id
    if (!mayReadAccounts) return { accounts: undefined, now: clock.now() }
    let now = clock.now()
    const list = (input: { readonly client_id: string; readonly cursor?: string | undefined }) =>
      limiter.run(() => {
        const more: CallOptions = {
          signal,
          onReply: ({ headers }) => {
            now = dateOf(headers) ?? now
          },
        }
        return api.accounts.list({ ...input, limit: pageSize.max }, more)
      }, signal)
    const accounts: Account[] = []
    try {
      for await (const account of items(list, { client_id })) accounts.push(account)
    } catch (error) {
      if (!(error instanceof ApiResponseError)) throw error
      if (error.code === 'insufficient_scope') {
        if (mayReadAccounts) onNoAccounts?.()
        mayReadAccounts = false
      } else if (isNotFound(error)) onGone?.({ client })
      else throw error
      return { accounts: undefined, now }
    }
    return { accounts, now }
  }
  const read = async function* ({ client, connections }: Group): AsyncGenerator<ClientConnections> {
    yield { client, connections, ...(await accountsOf(client)) }
  }
  yield* inOrder(byClient(connectionsAcross(api, options)), read, {
    ahead: limiter.concurrency,
    onError({ client }, error) {
      if (signal.aborted || !(error instanceof ApiResponseError) || error.httpStatus === 401) throw error
      onFailure?.({ client }, error)
      if (!keepGoing) throw error
    },
  })
}

type Group = Pick<ClientConnections, 'client' | 'connections'>

/** Connections come Client by Client. */
async function* byClient(all: AsyncIterable<ConnectionInContext>): AsyncGenerator<Group> {
  let group:
    | { client: ConnectionInContext['client']; connections: ConnectionInContext['connection'][] }
    | undefined
  for await (const { client, connection } of all) {
    if (group?.client.id !== client.id) {
      if (group !== undefined) yield group
      group = { client, connections: [] }
    }
    group.connections.push(connection)
  }
  if (group !== undefined) yield group
}

/** The moment of an answer by the clock of the service: that of an emulator may be ahead of this machine's. */
function dateOf(headers: ReplyHeaders): number | undefined {
  const [text] = [headers['date']].flat()
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? undefined : at
}
