/** Every tool, in the order in which they are listed: those that read, then those that act. */
import type { Tool } from '../tool.ts'
import { explainDelivery } from './explain-delivery.ts'
import { findClients } from './find-clients.ts'
import { getConnection } from './get-connection.ts'
import { listAccounts } from './list-accounts.ts'
import { listDeliveries } from './list-deliveries.ts'
import { lookUpReference } from './look-up-reference.ts'
import { queryMirror } from './query-mirror.ts'
import { refreshConnection } from './refresh-connection.ts'
import { triageConnections } from './triage-connections.ts'

export const tools: readonly Tool[] = [
  triageConnections,
  findClients,
  getConnection,
  listAccounts,
  listDeliveries,
  explainDelivery,
  queryMirror,
  lookUpReference,
  refreshConnection,
]
