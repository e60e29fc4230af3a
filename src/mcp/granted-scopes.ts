/** Finds out what the key may do, so that tools it cannot use are not offered. */
import type { Api } from '../api/api.ts'
import { ApiResponseError } from '../api/errors.ts'
import type { CallOptions } from '../api/options.ts'
import { allows, scopes as everyScope, type Scope } from '../contract/scopes.ts'
import { BankapiError } from '../errors.ts'
import type { Assistant } from './assistant.ts'
import { tools } from './tools/tools.ts'

type Probe = (api: Api, options: CallOptions) => Promise<unknown>

/** No such ids: the service refuses a key without the scope before it looks for them. */
const nobody = { client_id: 'cli_none' }
const noAccount = { account_id: 'acc_FDE_none', ...nobody }
const noConnection = { connection_id: 'con_00000000-0000-0000-0000-000000000000' }
const noSubscription = { subscription_id: 'whk_000000000000000000000000' }

/** One request per scope, of which only the refusal counts. */
const reads: Partial<Record<Scope, Probe>> = {
  'read:clients': (api, options) => api.clients.list({ limit: 1 }, options),
  'read:connections': (api, options) => api.connections.list({ ...nobody, limit: 1 }, options),
  'read:accounts': (api, options) => api.accounts.list({ ...nobody, limit: 1 }, options),
  'read:transactions': (api, options) => api.transactions.list({ ...noAccount, limit: 1 }, options),
  'read:statements': (api, options) => api.statements.list({ ...noAccount, limit: 1 }, options),
  'read:webhooks': (api, options) => api.webhooks.list({ limit: 1 }, options),
}
/** These would act, and are asked only for what does not exist and only where a tool that acts was allowed. */
const writes: Partial<Record<Scope, Probe>> = {
  'write:connections': (api, options) => api.connections.refresh(noConnection, options),
  'write:webhooks': (api, options) => api.webhooks.test(noSubscription, options),
}

/**
 * The scopes that the key lacks: by the list of keys, else by what the service refuses. What is not answered is taken for
 * granted: a call says so then. Rejects with the signal's reason.
 */
export async function lackingScopes(
  { api, allowed, listedScopes }: Pick<Assistant, 'api' | 'allowed' | 'listedScopes'>,
  signal: AbortSignal,
): Promise<ReadonlySet<Scope>> {
  const listed = await unlessItFails(() => listedScopes(signal), signal)
  if (listed !== undefined) return new Set(everyScope.filter((scope) => !allows(listed, scope)))
  const needed = new Set(
    tools.flatMap(({ group, scopes }) => (group !== undefined && allowed.has(group) ? scopes : [])),
  )
  const probes = [
    ...Object.entries(reads),
    ...Object.entries(writes).filter(([scope]) => needed.has(scope as Scope)),
  ]
  const lacking = await Promise.all(
    probes.map(async ([scope, probe]) => {
      try {
        await probe(api, { signal })
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof ApiResponseError && error.code === 'insufficient_scope') return [scope as Scope]
      }
      return []
    }),
  )
  return new Set(lacking.flat())
}

/** The list of keys may be refused, unreadable or not there. */
async function unlessItFails<T>(look: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof BankapiError)) throw error
    return undefined
  }
}
