/** Every tool, in the order in which they are listed: those that read, then those that act. */
import type { Tool } from '../tool.ts'
import { findClients } from './find-clients.ts'
import { getConnection } from './get-connection.ts'
import { getOperation } from './get-operation.ts'
import { linkBank } from './link-bank.ts'
import { listAccounts } from './list-accounts.ts'
import { listDeliveries } from './list-deliveries.ts'
import { listStatements } from './list-statements.ts'
import { lookUpReference } from './look-up-reference.ts'
import { queryMirror } from './query-mirror.ts'
import { reauthorizeConnection } from './reauthorize-connection.ts'
import { refreshConnection } from './refresh-connection.ts'
import { searchTransactions } from './search-transactions.ts'
import { summarizeTransactions } from './summarize-transactions.ts'
import { testWebhook } from './test-webhook.ts'
import { triageConnections } from './triage-connections.ts'

export const tools: readonly Tool[] = [
  triageConnections,
  findClients,
  getConnection,
  listAccounts,
  searchTransactions,
  summarizeTransactions,
  listStatements,
  getOperation,
  listDeliveries,
  queryMirror,
  lookUpReference,
  refreshConnection,
  reauthorizeConnection,
  linkBank,
  testWebhook,
]
