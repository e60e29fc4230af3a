import * as z from 'zod'
import { empty, endpoint } from './endpoint.ts'

/** The redirect allowlist of an environment: at most 20 https URLs of at most 2048 characters. */
export const RedirectAllowlist = z.looseObject({
  environment: z.string(),
  allowed_redirect_urls: z.array(z.string()),
})
export type RedirectAllowlist = z.infer<typeof RedirectAllowlist>

export const redirectAllowlistLimits = { urls: 20, characters: 2048 } as const

/**
 * Describes what is wrong with the text of a redirect URL, as the end of a sentence; undefined when nothing is. Only the
 * service can judge the address its host resolves to. Checks the text before parsing, because the URL parser repairs
 * what must not be sent: blanks, backslashes, missing or extra slashes, an empty userinfo.
 */
export function misspelling(url: string): string | undefined {
  if ([...url].length > redirectAllowlistLimits.characters) {
    return `is longer than ${redirectAllowlistLimits.characters} characters`
  }
  if (/[\p{Control}\s\\]/u.test(url)) return 'holds a blank, a control character or a backslash'
  const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)/i.exec(url)
  if (parts?.[1]?.toLowerCase() !== 'https') return 'must start with https://'
  const authority = parts[2] ?? ''
  if (authority.includes('@')) return 'must not carry userinfo'
  if (authority === '' || authority.startsWith(':')) return 'must have a host'
  if (!URL.canParse(url) || /^\.*$/.test(new URL(url).hostname)) return 'has no valid host'
  return undefined
}

export const redirectUrls = {
  get: endpoint({
    method: 'GET',
    path: '/settings/redirect-urls',
    summary: 'Show the redirect allowlist',
    success: { 200: RedirectAllowlist },
    scope: 'read:connections',
    retry: 'safe',
    origin: 'assumed',
    assumes: 'that it exists, an empty list when there is no row, scope',
  }),
  set: endpoint({
    method: 'POST',
    path: '/settings/redirect-urls',
    summary: 'Replace the whole redirect allowlist',
    body: { allowed_redirect_urls: z.array(z.string()) },
    success: { 200: RedirectAllowlist },
    scope: 'write:connections',
    retry: 'if-refused',
    origin: 'documented',
    assumes: 'status 200, scope',
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/settings/redirect-urls',
    summary: 'Remove the redirect allowlist',
    success: { 204: empty },
    scope: 'write:connections',
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
}
