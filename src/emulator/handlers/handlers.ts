/** Handlers of every operation of the contract: an area or an operation without one does not compile. */
import type { Contract } from '../../contract/contract.ts'
import { accounts } from './accounts.ts'
import { checks } from './checks.ts'
import { clients } from './clients.ts'
import { connections, connectSessions } from './connections.ts'
import type { Handlers } from './handler.ts'
import { institutions, sandbox } from './institutions.ts'
import { keys } from './keys.ts'
import { health, metrics } from './metrics.ts'
import { operations, reports } from './operations.ts'
import { portal } from './portal.ts'
import { redirectUrls } from './redirect-urls.ts'
import { statements } from './statements.ts'
import { transactions } from './transactions.ts'
import { webhooks } from './webhooks.ts'

export const handlers: { readonly [Area in keyof Contract]: Handlers<Contract[Area]> } = {
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
}
