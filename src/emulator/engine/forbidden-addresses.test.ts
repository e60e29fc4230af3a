import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isForbiddenAddress } from './forbidden-addresses.ts'

const octet = fc.nat(255)
const dotted = (...octets: number[]) => octets.join('.')
const privateIPv4 = fc.oneof(
  fc.tuple(octet, octet, octet).map((rest) => dotted(10, ...rest)),
  fc.tuple(octet, octet, octet).map((rest) => dotted(127, ...rest)),
  fc.tuple(octet, octet, octet).map((rest) => dotted(0, ...rest)),
  fc.tuple(fc.integer({ min: 16, max: 31 }), octet, octet).map((rest) => dotted(172, ...rest)),
  fc.tuple(fc.integer({ min: 64, max: 127 }), octet, octet).map((rest) => dotted(100, ...rest)),
  fc.tuple(octet, octet).map((rest) => dotted(192, 168, ...rest)),
  fc.tuple(octet, octet).map((rest) => dotted(169, 254, ...rest)),
)
const publicIPv4 = fc.oneof(
  fc
    .tuple(fc.constantFrom(1, 8, 9, 23, 52, 93, 151, 203, 223), octet, octet, octet)
    .map((all) => dotted(...all)),
  fc.constantFrom(
    '11.0.0.1',
    '9.255.255.255',
    '126.255.255.255',
    '128.0.0.1',
    '172.15.255.255',
    '172.32.0.1',
  ),
  fc.constantFrom(
    '100.63.255.255',
    '100.128.0.1',
    '169.253.1.1',
    '169.255.1.1',
    '192.167.1.1',
    '192.169.1.1',
  ),
)

/** The two 16-bit groups of an IPv4 address, in hexadecimal. */
function groups(address: string): [string, string] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return [(a * 256 + b).toString(16), (c * 256 + d).toString(16)]
}

/** Every way an IPv6 address carries an IPv4 one. */
function carriers(address: string): string[] {
  const [high, low] = groups(address)
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:FFFF:${high}:${low}`,
    `::ffff:0:${address}`,
    `::${address}`,
    `64:ff9b::${address}`,
    `64:ff9b::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2002:${high}:${low}:1:2:3:4:5`,
  ]
}

describe('isForbiddenAddress', () => {
  it('forbids every private, loopback, link-local and carrier-NAT IPv4 address, bare or inside IPv6', () => {
    fc.assert(
      fc.property(privateIPv4, (address) => {
        for (const spelling of [address, ...carriers(address)])
          expect(isForbiddenAddress(spelling), spelling).toBe(true)
      }),
    )
  })

  it('allows public IPv4 addresses, bare or inside IPv6', () => {
    fc.assert(
      fc.property(publicIPv4, (address) => {
        for (const spelling of [address, ...carriers(address)])
          expect(isForbiddenAddress(spelling), spelling).toBe(false)
      }),
    )
  })

  it('forbids the metadata services of the clouds', () => {
    const metadata = ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254']
    for (const address of [...metadata, 'fd20:ce::254', 'fe80::a9fe:a9fe']) {
      expect(isForbiddenAddress(address), address).toBe(true)
    }
  })

  it('forbids IPv6 that is unspecified, loopback, link-local, site-local, unique local, multicast or a tunnel', () => {
    const forbidden = [
      '::',
      '::1',
      '0:0:0:0:0:0:0:1',
      'fe80::1',
      'fe80::1%eth0',
      'febf::1',
      'fec0::1',
      'fc00::1',
    ]
    for (const address of [...forbidden, 'fdff:ffff::1', 'ff02::1', '2001::1', '64:ff9b:1::1', '100::1']) {
      expect(isForbiddenAddress(address), address).toBe(true)
    }
  })

  it('allows public IPv6', () => {
    for (const address of [
      '2606:4700::6810:84e5',
      '2a00:1450:4001::200e',
      '2001:db8::1',
      '2001:4860:4860::8888',
    ]) {
      expect(isForbiddenAddress(address), address).toBe(false)
    }
  })

  it('forbids broadcast, multicast and reserved IPv4, and allows the addresses of documentation', () => {
    for (const address of ['255.255.255.255', '224.0.0.1', '240.0.0.1', '198.18.0.1']) {
      expect(isForbiddenAddress(address)).toBe(true)
    }
    for (const address of ['192.0.2.1', '198.51.100.1', '203.0.113.1'])
      expect(isForbiddenAddress(address)).toBe(false)
  })

  it('forbids what is no IP address', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/^[\d.]+$|:/.test(text)),
        isForbiddenAddress,
      ),
    )
  })
})
