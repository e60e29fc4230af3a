import * as z from 'zod'
import { endpoint } from './endpoint.ts'
import { InstitutionId } from './ids.ts'
import { page, paging } from './shapes.ts'

export const Institution = z.looseObject({
  id: InstitutionId,
  name: z.string(),
  logo_url: z.string().nullish(),
  /** True when the bank is reached through FDE and needs the desktop app for refreshes; omitted when unknown. */
  requires_desktop_app: z.boolean().optional(),
})
export type Institution = z.infer<typeof Institution>

export const institutions = {
  search: endpoint({
    method: 'GET',
    path: '/institutions',
    summary: 'Search the institution catalog by name',
    query: { q: z.string().optional(), ...paging },
    success: { 200: page(Institution) },
    scope: 'read:connections',
    retry: 'safe',
    paged: true,
    origin: 'documented',
    assumes: 'limit and cursor, scope',
  }),
  get: endpoint({
    method: 'GET',
    path: '/institutions/{institution_id}',
    summary: 'Show an institution',
    params: { institution_id: InstitutionId },
    success: { 200: Institution },
    scope: 'read:connections',
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
}

/** Helpers that exist in the sandbox only; a live key gets 403. */
export const sandbox = {
  institutions: endpoint({
    method: 'GET',
    path: '/sandbox/institutions',
    summary: 'List the institutions to test with',
    success: {
      200: z.looseObject({
        data: z.array(z.looseObject({ id: InstitutionId, name: z.string(), logo_url: z.string().nullish() })),
      }),
    },
    scope: 'read:connections',
    codes: ['live_key_not_allowed'],
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
}
