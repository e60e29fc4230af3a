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

const privateNetworks = new BlockList()
privateNetworks.addSubnet('10.0.0.0', 8)
privateNetworks.addSubnet('172.16.0.0', 12)
privateNetworks.addSubnet('192.168.0.0', 16)
privateNetworks.addSubnet('fc00::', 7, 'ipv6')

/** Whether it is an IP address of a private network (RFC 1918, RFC 4193), an IPv6 one with or without brackets. */
export function isPrivateAddress(host: string): boolean {
  const ip = host.replace(/^\[|\]$/g, '')
  const family = isIP(ip)
  return family !== 0 && privateNetworks.check(ip, family === 4 ? 'ipv4' : 'ipv6')
}
