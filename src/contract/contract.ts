/** Every operation of the API, by area: `connections.refresh`. */
import { accounts } from './accounts.ts'
import { checks } from './checks.ts'
import { clients } from './clients.ts'
import { connectSessions } from './connect-sessions.ts'
import { connections } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import { health } from './health.ts'
import { institutions, sandbox } from './institutions.ts'
import { keys } from './keys.ts'
import { metrics } from './metrics.ts'
import { operations, reports } from './operations.ts'
import { portal } from './portal.ts'
import { redirectUrls } from './redirect-urls.ts'
import { statements } from './statements.ts'
import { transactions } from './transactions.ts'
import { webhooks } from './webhooks.ts'

export const contract = {
  clients,
  institutions,
  sandbox,
  connections,
  connectSessions,
  accounts,
  transactions,
  statements,
  checks,
  operations,
  reports,
  webhooks,
  keys,
  redirectUrls,
  metrics,
  portal,
  health,
} as const satisfies Record<string, Record<string, Endpoint>>

export type Contract = typeof contract

/** One row per operation, in the order of the contract. */
export function everyEndpoint(): { area: keyof Contract; name: string; endpoint: Endpoint }[] {
  return (Object.keys(contract) as (keyof Contract)[]).flatMap((area) =>
    Object.entries<Endpoint>(contract[area]).map(([name, endpoint]) => ({ area, name, endpoint })),
  )
}
