/** Asks a Connection's source for fresh data. */
import * as z from 'zod'
import { tool } from '../tool.ts'

export const refreshConnection = tool({
  name: 'refresh_connection',
  title: 'Refresh a connection',
  description:
    'Asks the bank for fresh data, which uses the daily budget of the connection. Answers at once; get_operation says how it ended.',
  input: { connection_id: z.string().max(200) },
  output: { operation_id: z.string(), status: z.string(), estimated_seconds: z.number().optional() },
  scopes: ['write:connections'],
  group: 'refresh',
  async run({ api, journal, signal }, { connection_id }) {
    const accepted = await api.connections.refresh({ connection_id }, { signal })
    const { operation_id, status, estimated_seconds } = accepted
    await journal.started({
      ...{ id: operation_id, type: 'account.refresh', subject: connection_id },
      estimatedSeconds: estimated_seconds,
    })
    return { data: { operation_id, status, estimated_seconds } }
  },
})
