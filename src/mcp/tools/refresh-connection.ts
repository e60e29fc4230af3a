/** Asks a Connection's source for fresh data. */
import * as z from 'zod'
import { noteStarted } from '../noted-operations.ts'
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
  async run(call, { connection_id }) {
    const accepted = await call.api.connections.refresh({ connection_id }, { signal: call.signal })
    await noteStarted(call, accepted, { type: 'account.refresh', subject: connection_id })
    const { operation_id, status, estimated_seconds } = accepted
    return { data: { operation_id, status, estimated_seconds } }
  },
})
