/** Names and addresses of private networks: nobody on the internet can be behind them. */
import { BlockList, isIP } from 'node:net'

/** Zones that are private by definition (RFC 6761, RFC 6762, RFC 8375, ICANN's reservation of .internal). */
export const privateZones = ['.localhost', '.localdomain', '.local', '.internal', '.home.arpa'] as const

/** Whether the public DNS cannot have the name: it has no dot, as a container's, or its zone is private. */
export function isPrivateName(name: string): boolean {
  const bare = name.toLowerCase().replace(/\.$/, '')
  if (bare === '' || isIP(bare.replace(/^\[|\]$/g, '')) !== 0) return false
  return !bare.includes('.') || privateZones.some((zone) => bare.endsWith(zone))
}

const privateNetworks = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['fc00::', 7],
] as const

/** Whether it is an IP address of a private network (RFC 1918, RFC 4193), an IPv6 one with or without brackets. */
export function isPrivateAddress(host: string): boolean {
  const ip = host.replace(/^\[|\]$/g, '')
  const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
  // Made when it is asked for: every command loads this file.
  const networks = new BlockList()
  for (const [network, prefix] of privateNetworks) networks.addSubnet(network, prefix, familyOf(network))
  return isIP(ip) !== 0 && networks.check(ip, familyOf(ip))
}
