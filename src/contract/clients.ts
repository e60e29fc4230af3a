import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { ClientId } from './ids.ts'
import { DateTime, page, paging } from './shapes.ts'

/** An end-user. Every field but `id` is assumed: the reference shows only what the creation accepts. */
export const Client = z.looseObject({
  id: ClientId,
  email: z.string().nullish(),
  name: z.string().nullish(),
  /** The caller's own join key. */
  external_id: z.string().nullish(),
  created_at: DateTime.nullish(),
})
export type Client = z.infer<typeof Client>

export const clients = {
  create: endpoint({
    method: 'POST',
    path: '/clients',
    summary: 'Create a Client',
    body: { email: z.string().optional(), name: z.string().optional(), external_id: z.string().optional() },
    success: { 201: Client },
    scope: 'write:clients',
    retry: 'if-refused',
    idempotencyKey: 'ignored',
    origin: 'documented',
    assumes: 'status 201, response fields, that no field is required, scope',
  }),
  list: endpoint({
    method: 'GET',
    path: '/clients',
    summary: 'List Clients',
    query: paging,
    success: { 200: page(Client) },
    scope: 'read:clients',
    retry: 'safe',
    paged: true,
    origin: 'documented',
    assumes: 'item shape, scope',
  }),
}
