/** IP addresses to which the emulator sends nobody. */
import { BlockList, isIP } from 'node:net'

type Range = readonly [network: string, prefix: number]

const ranges: { readonly ipv4: readonly Range[]; readonly ipv6: readonly Range[] } = {
  ipv4: [
    ['0.0.0.0', 8], // this network; 0.0.0.0 reaches the machine itself
    ['10.0.0.0', 8], // private
    ['100.64.0.0', 10], // carrier-grade NAT, with 100.100.100.200, Alibaba's metadata
    ['127.0.0.0', 8], // loopback
    ['168.63.129.16', 32], // Azure's host service
    ['169.254.0.0', 16], // link-local, with 169.254.169.254, most clouds' metadata
    ['172.16.0.0', 12], // private
    ['192.0.0.0', 24], // protocol assignments, with 192.0.0.192, Oracle's metadata
    ['192.168.0.0', 16], // private
    ['198.18.0.0', 15], // benchmarks inside a network
    ['224.0.0.0', 4], // multicast
    ['240.0.0.0', 4], // reserved, with the broadcast address
  ],
  ipv6: [
    ['::', 128], // unspecified
    ['::1', 128], // loopback
    ['64:ff9b:1::', 48], // NAT64 inside a network
    ['100::', 64], // discard
    ['2001::', 32], // Teredo: an IPv4 address in disguise
    ['fc00::', 7], // unique local, with fd00:ec2::254, AWS's metadata
    ['fe80::', 10], // link-local
    ['fec0::', 10], // site-local, the older unique local
    ['ff00::', 8], // multicast
  ],
}

const forbidden = new BlockList()
for (const family of ['ipv4', 'ipv6'] as const) {
  for (const [network, prefix] of ranges[family]) forbidden.addSubnet(network, prefix, family)
}

/** IPv6 prefixes, in 16-bit groups, behind which an IPv4 address stands. */
const embeddings: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0], // IPv4-compatible
  [0, 0, 0, 0, 0, 0xffff], // IPv4-mapped
  [0, 0, 0, 0, 0xffff, 0], // IPv4-translated
  [0x64, 0xff9b, 0, 0, 0, 0], // NAT64
  [0x2002], // 6to4
]

/**
 * True when `ip` is private, loopback, link-local, a cloud's metadata service, or otherwise not a machine on the public
 * internet; IPv6 that carries an IPv4 address is judged by it too. What is not an IP address is forbidden. The ranges
 * for documentation (192.0.2.0/24 and the like) are allowed: examples are written with them.
 */
export function isForbiddenAddress(ip: string): boolean {
  const family = isIP(ip)
  if (family === 0) return true
  if (family === 4) return forbidden.check(ip, 'ipv4')
  // A zone (fe80::1%eth0) only makes sense on a link.
  if (ip.includes('%')) return true
  const embedded = embeddedIPv4(groupsOf(ip))
  return forbidden.check(ip, 'ipv6') || (embedded !== undefined && forbidden.check(embedded, 'ipv4'))
}

/** The eight 16-bit groups of an IPv6 address. The URL parser writes any spelling of it in one way. */
function groupsOf(ip: string): number[] {
  const [head = '', tail] = new URL(`http://[${ip}]/`).hostname.slice(1, -1).split('::')
  const front = head.split(':').filter(Boolean)
  const back = (tail ?? '').split(':').filter(Boolean)
  const zeros = Array.from({ length: 8 - front.length - back.length }, () => '0')
  return [...front, ...zeros, ...back].map((group) => Number.parseInt(group, 16))
}

function embeddedIPv4(groups: readonly number[]): string | undefined {
  const prefix = embeddings.find((candidate) => candidate.every((group, index) => groups[index] === group))
  if (!prefix) return undefined
  const [high = 0, low = 0] = groups.slice(prefix.length, prefix.length + 2)
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
