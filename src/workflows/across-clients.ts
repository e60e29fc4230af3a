/**
 * Reads lists across Clients: their Connections, their accounts, and what each account lists. Several are read at once, and
 * everything comes in the order of the service's own lists, with a bounded part of it in memory.
 */
import type { Api } from '../api/api.ts'
import { ApiResponseError, UnreadableResponseError } from '../api/errors.ts'
import type { CallOptions } from '../api/options.ts'
import { pages } from '../api/pages.ts'
import type { Account } from '../contract/accounts.ts'
import type { Client } from '../contract/clients.ts'
import type { Connection } from '../contract/connections.ts'
import { pageSize } from '../contract/service.ts'
import type { Page } from '../contract/values.ts'
import { BankapiError } from '../errors.ts'
import { inOrder } from './in-order.ts'
import type { Limiter } from './limiter.ts'
import { SeenIds } from './seen-ids.ts'

/** What could not be read: all of a Client, or one account of it. */
export interface Subject {
  readonly client: Client
  readonly account?: Account
}

export interface AcrossOptions {
  /** Ids of the Clients to read, in this order; without them every Client, in the order of the service. */
  readonly clients?: readonly string[] | undefined
  /** Ids of the Connections to read; without them every one. */
  readonly connections?: readonly string[] | undefined
  /** Bounds the requests at once, and waits when the service refuses more. */
  readonly limiter: Limiter
  readonly signal: AbortSignal
  /** After a failure that is only about its subject, go on with the others. */
  readonly keepGoing?: boolean | undefined
  /** Called for each failure that is about one subject, also for the one that ends the walk. */
  readonly onFailure?: ((subject: Subject, error: BankapiError) => void) | undefined
  /** Called for what was listed, and is not known to the service any more when it is read: that is no failure. */
  readonly onGone?: ((subject: Subject) => void) | undefined
}

export interface ConnectionInContext {
  readonly client: Client
  readonly connection: Connection
}

export interface AccountInContext {
  readonly client: Client
  /** Undefined for an account without one (`PDF`). */
  readonly connection: Connection | undefined
  readonly account: Account
}

/** Makes a request of the walk: the limiter decides when. */
export type Call = <T>(run: (options: CallOptions) => Promise<T>) => Promise<T>

/** A named Connection is none of the Clients'. */
class ConnectionNotFoundError extends BankapiError {
  override readonly name = 'ConnectionNotFoundError'

  constructor(ids: readonly string[]) {
    super(`None of these Clients has the Connection ${ids.join(', ')}`, {
      code: 'connection_not_found',
      exit: 'notFound',
      hint: 'Every Connection: bankapi connections list --all-clients',
    })
  }
}

/** Every Client, or those that were named. @throws what the call throws. */
export async function* clientsAcross(api: Api, options: AcrossOptions): AsyncGenerator<Client> {
  yield* during(api, options, async function* (walk) {
    for await (const { client } of walk.clients()) yield client
  })
}

/** Every Connection of the Clients. @throws what a call throws, and ConnectionNotFoundError at the end. */
export async function* connectionsAcross(
  api: Api,
  options: AcrossOptions,
): AsyncGenerator<ConnectionInContext> {
  yield* during(api, options, async function* (walk) {
    for await (const { client, connections } of walk.connections()) {
      for (const connection of connections) yield { client, connection }
    }
  })
}

export interface AccountFilter {
  /** Leaves out accounts of other Connections, and those without one. */
  readonly ofConnection?: ((connection: Connection) => boolean) | undefined
  readonly accept?: ((account: Account) => boolean) | undefined
}

/** Every account of the Clients, as pages. @throws as `connectionsAcross` does. */
export async function* accountsAcross(
  api: Api,
  options: AcrossOptions,
  filter: AccountFilter = {},
): AsyncGenerator<readonly AccountInContext[]> {
  yield* during(api, options, (walk) => walk.accounts(filter))
}

/** What each account of the Clients lists, as `read` gives it: it makes its requests through the `call` it is given. */
export async function* rowsAcross<Row extends object>(
  api: Api,
  options: AcrossOptions,
  filter: AccountFilter,
  read: (of: AccountInContext, call: Call) => AsyncGenerator<Row>,
): AsyncGenerator<Row> {
  yield* during(api, options, (walk) =>
    inOrder(itemsOf(walk.accounts(filter)), (of) => read(of, walk.call), walk.inOrder),
  )
}

/** Runs a walk whose requests end when the caller stops reading. */
async function* during<T>(
  api: Api,
  options: AcrossOptions,
  run: (walk: Walk) => AsyncGenerator<T>,
): AsyncGenerator<T> {
  const stopped = new AbortController()
  const signal = AbortSignal.any([options.signal, stopped.signal])
  try {
    yield* run(new Walk(api, { ...options, signal }))
  } finally {
    stopped.abort()
  }
}

/** A Client, and whether the service's list has it; one that was named may be unknown. */
interface FoundClient {
  readonly client: Client
  readonly listed: boolean
}

class Walk {
  readonly #api: Api
  readonly #options: AcrossOptions

  constructor(api: Api, options: AcrossOptions) {
    this.#api = api
    this.#options = options
  }

  readonly call: Call = (run) => {
    const { limiter, signal } = this.#options
    return limiter.run(() => run({ signal }), signal)
  }

  /** Options of `inOrder` for subjects that were listed. */
  get inOrder() {
    return {
      ahead: this.#options.limiter.concurrency,
      onError: (subject: Subject, error: unknown) => this.#failed(subject, error, true),
    }
  }

  async *clients(): AsyncGenerator<FoundClient> {
    const { clients: wanted } = this.#options
    const listed = this.#pages((paging) => this.call((more) => this.#api.clients.list(paging, more)))
    if (wanted === undefined) {
      for await (const client of itemsOf(listed)) yield { client, listed: true }
      return
    }
    const found = new Map<string, Client>()
    try {
      for await (const client of itemsOf(listed)) {
        if (wanted.includes(client.id)) found.set(client.id, client)
        if (wanted.every((id) => found.has(id))) break
      }
    } catch (error) {
      // A key that may not list Clients may still read those that are named.
      if (!(error instanceof ApiResponseError && error.code === 'insufficient_scope')) throw error
    }
    for (const id of new Set(wanted)) {
      const client = found.get(id)
      yield client === undefined ? { client: { id }, listed: false } : { client, listed: true }
    }
  }

  /** Each Client with its Connections, of which those that were not named are left out. */
  async *connections(): AsyncGenerator<{
    readonly client: Client
    readonly connections: readonly Connection[]
  }> {
    const { connections: wanted, limiter } = this.#options
    const missing = new Set(wanted)
    const read = async function* (this: Walk, { client }: FoundClient) {
      const list = this.#pages((paging) =>
        this.call((more) => this.#api.connections.list({ client_id: client.id, ...paging }, more)),
      )
      const connections: Connection[] = []
      for await (const connection of itemsOf(list)) {
        if (wanted === undefined || wanted.includes(connection.id)) connections.push(connection)
      }
      yield { client, connections }
    }.bind(this)
    const all = inOrder(this.clients(), read, {
      ahead: limiter.concurrency,
      onError: ({ client, listed }, error) => this.#failed({ client }, error, listed),
    })
    for await (const found of all) {
      for (const { id } of found.connections) missing.delete(id)
      if (wanted === undefined || found.connections.length > 0) yield found
      if (wanted !== undefined && missing.size === 0) return
    }
    if (missing.size > 0) throw new ConnectionNotFoundError([...missing])
  }

  async *accounts({
    ofConnection,
    accept = () => true,
  }: AccountFilter): AsyncGenerator<readonly AccountInContext[]> {
    const { connections: wanted } = this.#options
    const some = wanted !== undefined || ofConnection !== undefined
    const read = async function* (
      this: Walk,
      { client, connections }: { readonly client: Client; readonly connections: readonly Connection[] },
    ) {
      const byId = new Map(connections.filter(ofConnection ?? (() => true)).map((one) => [one.id, one]))
      if (some && byId.size === 0) return
      const list = this.#pages((paging) =>
        this.call((more) => this.#api.accounts.list({ client_id: client.id, ...paging }, more)),
      )
      for await (const accounts of list) {
        yield accounts.flatMap((account) => {
          const connection = byId.get(account.connection_id ?? '')
          return (some && connection === undefined) || !accept(account)
            ? []
            : [{ client, connection, account }]
        })
      }
    }.bind(this)
    yield* inOrder(this.connections(), read, {
      ...this.inOrder,
      onError: ({ client }, error) => this.#failed({ client }, error, true),
    })
  }

  /** The rows of each page. One that changes meanwhile may come again on a later page; each id is returned once. */
  async *#pages<T extends { readonly id: string }>(
    list: (paging: { readonly limit: number; readonly cursor?: string | undefined }) => Promise<Page<T>>,
  ): AsyncGenerator<readonly T[]> {
    const seen = new SeenIds()
    const read = (paging: { readonly cursor?: string | undefined }) =>
      list({ ...paging, limit: pageSize.max })
    for await (const { data } of pages(read, {})) yield data.filter(({ id }) => seen.add(id))
  }

  /** Returns when the walk goes on without the subject. `listed`: the service had listed it before. */
  #failed({ client, account }: Subject, error: unknown, listed: boolean): void {
    const { keepGoing = false, onFailure, onGone } = this.#options
    if (!isOfOne(error)) throw error
    const subject = { client, ...(account === undefined ? {} : { account }) }
    if (listed && isNotFound(error)) {
      onGone?.(subject)
      return
    }
    onFailure?.(subject, error)
    if (!keepGoing) throw error
  }
}

async function* itemsOf<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) {
    // Not `yield*`, which takes three turns of the event loop for each item.
    for (const item of batch) yield item
  }
}

/** The service's own answer that there is no such thing; a 404 of something in between is none. */
export function isNotFound(error: BankapiError): boolean {
  return error instanceof ApiResponseError && error.httpStatus === 404 && error.envelope
}

/** Whether a failure is about what was read: a key that is not accepted, or a service that does not answer, fails all. */
function isOfOne(error: unknown): error is BankapiError {
  if (error instanceof UnreadableResponseError) return true
  return error instanceof ApiResponseError && error.httpStatus !== 401 && error.code !== 'insufficient_scope'
}
