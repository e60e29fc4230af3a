/** Handlers of Clients. */
import type { Client, clients as contract } from '../../contract/clients.ts'
import { isoNow } from '../engine/engine.ts'
import { pageOf } from '../engine/paging.ts'
import type { ClientRow } from '../store/customers.ts'
import { clientOf, type Handlers } from './handler.ts'

export const clients: Handlers<typeof contract> = {
  create({ email, name, external_id }, call) {
    const { engine, tenant } = call
    const id = `cli_${engine.ids.hex('client', 16)}`
    engine.store.clients.add(tenant.seq, {
      id,
      email: email ?? null,
      name: name ?? null,
      external_id: external_id ?? null,
      created_at: isoNow(engine),
    })
    return onWire(clientOf(call, id))
  },

  list(page, { engine, tenant }) {
    return pageOf(
      engine,
      ['clients', tenant.seq],
      page,
      (slice) => engine.store.clients.list(tenant.seq, slice),
      onWire,
    )
  },
}

function onWire({ seq: _seq, ...client }: ClientRow): Client {
  return client
}
