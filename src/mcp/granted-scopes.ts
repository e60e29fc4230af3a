/** Finds out what the key may read, so that tools it cannot use are not offered. */
import type { Api } from '../api/api.ts'
import { ApiResponseError } from '../api/errors.ts'
import type { CallOptions } from '../api/options.ts'
import type { Scope } from '../contract/scopes.ts'

/** No such ids: the service refuses a key without the scope before it looks for them. */
const nobody = { client_id: 'cli_none' }
const noAccount = { account_id: 'acc_FDE_none', ...nobody }

/** One request per scope, of which only the refusal counts. */
const probes: Partial<Record<Scope, (api: Api, options: CallOptions) => Promise<unknown>>> = {
  'read:clients': (api, options) => api.clients.list({ limit: 1 }, options),
  'read:connections': (api, options) => api.connections.list({ ...nobody, limit: 1 }, options),
  'read:accounts': (api, options) => api.accounts.list({ ...nobody, limit: 1 }, options),
  'read:transactions': (api, options) => api.transactions.list({ ...noAccount, limit: 1 }, options),
  'read:statements': (api, options) => api.statements.list({ ...noAccount, limit: 1 }, options),
  'read:webhooks': (api, options) => api.webhooks.list({ limit: 1 }, options),
}

/**
 * The scopes that the service says the key lacks. What cannot be asked without changing anything, or is not answered, is taken
 * for granted: a call says so then. Rejects with the signal's reason.
 */
export async function lackingScopes(api: Api, signal: AbortSignal): Promise<ReadonlySet<Scope>> {
  const lacking = await Promise.all(
    Object.entries(probes).map(async ([scope, probe]) => {
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
