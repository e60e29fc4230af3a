/** The redirect allowlist: the rules for its URLs, and the check of a redirect against it. */
import { isIP } from 'node:net'
import { misspelling, redirectAllowlistLimits } from '../../contract/redirect-urls.ts'
import { privateZones } from '../../private-names.ts'
import type { Engine, Resolve } from './engine.ts'
import { invalidFields } from './errors.ts'
import { isForbiddenAddress } from './forbidden-addresses.ts'

/** Replaces the whole set; an empty one denies every redirect. Throws `validation_failed` naming each bad URL. */
export async function setAllowlist(engine: Engine, tenant: number, urls: readonly string[]): Promise<void> {
  const name = 'allowed_redirect_urls'
  const { urls: max } = redirectAllowlistLimits
  if (urls.length > max)
    throw invalidFields([{ param: name, message: `holds more than ${max} URLs`, code: 'too_big' }])
  const checks = await Promise.all(urls.map((url) => checkRedirectUrl(url, engine.resolve)))
  const errors = checks.flatMap((check, index) =>
    check.ok ? [] : [{ param: `${name}.${index}`, message: check.reason, code: 'url_not_allowed' }],
  )
  if (errors.length > 0) throw invalidFields(errors)
  engine.store.allowlists.set(tenant, urls)
}

/** Throws unless `url` is exactly one of the set. Without a row every redirect is refused. */
export function checkRedirect({ store }: Engine, tenant: number, url: string): void {
  if (store.allowlists.get(tenant)?.includes(url)) return
  throw invalidFields([
    { param: 'redirect_url', message: 'is not on the redirect allowlist', code: 'not_allowlisted' },
  ])
}

export type RedirectCheck = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** Names of this machine and of cloud metadata services, refused without asking a resolver. */
const forbiddenNames = [
  'localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
  'instance-data',
  'instance-data.ec2.internal',
]

/**
 * Checks that `url` may stand on the redirect allowlist: https, with a host, without userinfo, at most 2048 characters, and
 * neither being nor resolving to a private, loopback, link-local or cloud-metadata address. One such address among
 * several is enough to refuse. A name that does not resolve is accepted: the emulator has to work without a network,
 * and there is nothing it could reach.
 */
export async function checkRedirectUrl(url: string, resolve: Resolve): Promise<RedirectCheck> {
  const spelling = misspelling(url)
  if (spelling) return { ok: false, reason: spelling }
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
  if (isIP(host) !== 0) {
    return isForbiddenAddress(host) ? refused(host) : { ok: true }
  }
  if (forbiddenNames.includes(host) || privateZones.some((zone) => host.endsWith(zone))) return refused(host)
  const addresses = await resolve(host).catch((): readonly string[] => [])
  const address = addresses.find(isForbiddenAddress)
  return address === undefined ? { ok: true } : refused(`${host} (${address})`)
}

function refused(what: string): RedirectCheck {
  return { ok: false, reason: `${what} is a private, loopback, link-local or cloud-metadata address` }
}
