/** Where a user may be sent after linking: the rules of the redirect allowlist. */
import { isIP } from 'node:net'
import { misspelling } from '../../contract/redirect-urls.ts'
import { isForbiddenAddress } from './forbidden-addresses.ts'

/** Gives the addresses of a host name, like `dns.lookup` with `all`. A rejection means the name does not resolve. */
export type Resolve = (host: string) => Promise<readonly string[]>

export type RedirectVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

/** Names that mean this machine or a cloud's metadata service, whatever a resolver says about them. */
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
/** Zones that are private by definition (RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of .internal). */
const forbiddenZones = ['.localhost', '.localdomain', '.local', '.internal', '.home.arpa']

/**
 * Whether `url` may stand on the redirect allowlist: https, with a host, without userinfo, at most 2048 characters, and
 * neither being nor resolving to a private, loopback, link-local or cloud-metadata address. One such address among
 * several is enough to refuse. A name that does not resolve is accepted: the emulator has to work without a network,
 * and there is nothing it could reach.
 */
export async function checkRedirectUrl(url: string, resolve: Resolve): Promise<RedirectVerdict> {
  const spelling = misspelling(url)
  if (spelling) return { ok: false, reason: spelling }
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
  if (isIP(host) !== 0) {
    return isForbiddenAddress(host) ? refused(host) : { ok: true }
  }
  if (forbiddenNames.includes(host) || forbiddenZones.some((zone) => host.endsWith(zone)))
    return refused(host)
  const addresses = await resolve(host).catch((): readonly string[] => [])
  const address = addresses.find(isForbiddenAddress)
  return address === undefined ? { ok: true } : refused(`${host} (${address})`)
}

function refused(what: string): RedirectVerdict {
  return { ok: false, reason: `${what} is a private, loopback, link-local or cloud-metadata address` }
}
