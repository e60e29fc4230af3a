/** Types of calls. Nothing here runs: `tsc` is the test. */
import { expect, test } from 'vitest'
import type { Api } from '../../src/api/api.ts'
import { items } from '../../src/api/pages.ts'

async function compiles(api: Api): Promise<void> {
  await api.clients.create()
  await api.clients.list(undefined, { idempotencyKey: 'x' })
  const connection = await api.connections.get({ connection_id: 'con_FDE_1' })
  connection.status satisfies 'initiated' | 'requires_action' | 'active' | 'failed' | 'disconnected'
  const nothing: undefined = await api.connections.delete({ connection_id: 'con_FDE_1' })
  const { body } = await api.statements.download({ statement_id: 'stmt_FDE_1', client_id: 'cli_1' })
  body satisfies AsyncIterable<Uint8Array>
  for await (const account of items(api.accounts.list, { client_id: 'cli_1' }))
    account.current_balance?.toFixed()
  for await (const client of items(api.clients.list, {})) client.id.length
  // @ts-expect-error the id is required
  await api.connections.get()
  // @ts-expect-error the Client is required
  await items(api.accounts.list, {}).next()
  // @ts-expect-error there is no such field
  await api.clients.create({ nmae: 'A' })
  // @ts-expect-error a single resource has no pages
  await items(api.accounts.get, { account_id: 'a', client_id: 'c' }).next()
  return nothing
}

test('the types are checked by tsc', () => expect(compiles).toBeTypeOf('function'))
