import * as z from 'zod'
import { empty, endpoint } from './endpoint.ts'
import { ApiKeyId } from './ids.ts'
import { Scope } from './scopes.ts'
import { DateTime, page, paging } from './shapes.ts'

export const ApiKey = z.looseObject({
  id: ApiKeyId,
  environment: z.enum(['sandbox', 'live']),
  /** The first few characters of the key, safe to display. */
  prefix: z.string(),
  scopes: z.array(Scope),
  status: z.enum(['active', 'revoked']),
  created_at: DateTime,
  /** Absent until it happened, as `revoked_at` is. */
  last_used_at: DateTime.optional(),
  revoked_at: DateTime.optional(),
})
export type ApiKey = z.infer<typeof ApiKey>

/** A key with its plaintext, which is returned exactly once. The field name `secret` is assumed. */
export const ApiKeyWithSecret = z.looseObject({ ...ApiKey.shape, secret: z.string() })
export type ApiKeyWithSecret = z.infer<typeof ApiKeyWithSecret>

const apiKey = { api_key_id: ApiKeyId } as const

export const keys = {
  create: endpoint({
    method: 'POST',
    path: '/api-keys',
    summary: 'Create an API key',
    body: { scopes: z.array(z.string()).min(1) },
    success: { 201: ApiKeyWithSecret },
    scope: 'write:api-keys',
    retry: 'if-refused',
    origin: 'assumed',
    assumes: 'path, body, the name of the field with the plaintext (secret), scope',
  }),
  list: endpoint({
    method: 'GET',
    path: '/api-keys',
    summary: 'List API keys',
    query: paging,
    success: { 200: page(ApiKey) },
    scope: 'read:api-keys',
    retry: 'safe',
    paged: true,
    origin: 'assumed',
    assumes: 'path, paging, scope',
  }),
  updateScopes: endpoint({
    method: 'PATCH',
    path: '/api-keys/{api_key_id}',
    summary: "Set a key's complete, final scopes",
    params: apiKey,
    body: { scopes: z.array(z.string()).min(1) },
    success: { 200: ApiKey },
    scope: 'write:api-keys',
    retry: 'if-refused',
    origin: 'documented',
    assumes: 'scope',
  }),
  revoke: endpoint({
    method: 'DELETE',
    path: '/api-keys/{api_key_id}',
    summary: 'Revoke a key for good',
    params: apiKey,
    success: { 204: empty },
    scope: 'write:api-keys',
    retry: 'safe',
    origin: 'assumed',
    assumes: 'method, path, response, scope',
  }),
}
