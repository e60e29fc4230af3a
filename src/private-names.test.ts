import { expect, test } from 'vitest'
import { isPrivateAddress, isPrivateName } from './private-names.ts'

test.each([
  ['emulator', true],
  ['Emulator.', true],
  ['host.docker.internal', true],
  ['emulator.ci.svc.cluster.local', true],
  ['my-mac.local', true],
  ['evil.example', false],
  ['local.evil.example', false],
  ['internal.com', false],
  ['10.1.2.3', false],
  ['[fd00::1]', false],
  ['', false],
  ['.', false],
])('the public DNS cannot have the name %s: %s', (name, expected) => {
  expect(isPrivateName(name)).toBe(expected)
})

test.each([
  ['10.1.2.3', true],
  ['172.31.255.255', true],
  ['192.168.0.1', true],
  ['[fd00::1]', true],
  ['172.32.0.1', false],
  ['93.184.216.34', false],
  ['169.254.169.254', false],
  ['[2001:db8::1]', false],
  ['emulator', false],
])('%s is an address of a private network: %s', (host, expected) => {
  expect(isPrivateAddress(host)).toBe(expected)
})
