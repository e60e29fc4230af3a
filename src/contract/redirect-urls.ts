import * as z from 'zod'
import { empty, endpoint } from './endpoint.ts'

/** The redirect allowlist of an environment: at most 20 https URLs of at most 2048 characters. */
export const RedirectAllowlist = z.looseObject({
  environment: z.string(),
  allowed_redirect_urls: z.array(z.string()),
})
export type RedirectAllowlist = z.infer<typeof RedirectAllowlist>

export const redirectAllowlistLimits = { urls: 20, characters: 2048 } as const

export const redirectUrls = {
  get: endpoint({
    method: 'GET',
    path: '/settings/redirect-urls',
    summary: 'Show the redirect allowlist',
    success: { 200: RedirectAllowlist },
    scope: 'read:connections',
    repeat: 'always',
    origin: 'assumed',
    assumes: 'that it exists, 404 when there is no row, scope',
  }),
  set: endpoint({
    method: 'POST',
    path: '/settings/redirect-urls',
    summary: 'Replace the whole redirect allowlist',
    body: { allowed_redirect_urls: z.array(z.string()) },
    success: { 200: RedirectAllowlist },
    scope: 'write:connections',
    repeat: 'always',
    origin: 'documented',
    assumes: 'status 200, scope',
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/settings/redirect-urls',
    summary: 'Remove the redirect allowlist',
    success: { 204: empty },
    scope: 'write:connections',
    repeat: 'always',
    origin: 'documented',
    assumes: 'scope',
  }),
}
