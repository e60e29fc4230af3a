/** Loads each area of the contract when it is first used: building all their schemas takes longer than one request. */
import type { Contract } from './contract.ts'

export const areas = {
  clients: async () => (await import('./clients.ts')).clients,
  institutions: async () => (await import('./institutions.ts')).institutions,
  sandbox: async () => (await import('./institutions.ts')).sandbox,
  connections: async () => (await import('./connections.ts')).connections,
  connectSessions: async () => (await import('./connect-sessions.ts')).connectSessions,
  accounts: async () => (await import('./accounts.ts')).accounts,
  transactions: async () => (await import('./transactions.ts')).transactions,
  statements: async () => (await import('./statements.ts')).statements,
  checks: async () => (await import('./checks.ts')).checks,
  operations: async () => (await import('./operations.ts')).operations,
  reports: async () => (await import('./operations.ts')).reports,
  webhooks: async () => (await import('./webhooks.ts')).webhooks,
  keys: async () => (await import('./keys.ts')).keys,
  redirectUrls: async () => (await import('./redirect-urls.ts')).redirectUrls,
  metrics: async () => (await import('./metrics.ts')).metrics,
  portal: async () => (await import('./portal.ts')).portal,
  health: async () => (await import('./health.ts')).health,
} as const satisfies { readonly [Area in keyof Contract]: () => Promise<Contract[Area]> }
