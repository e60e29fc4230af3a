import { expect, test } from 'vitest'
import { acceptsHost } from './host-guard.ts'

test('bound to loopback only its names are accepted; bound wider on purpose, any', () => {
  for (const boundTo of ['127.0.0.1', '::1', 'localhost']) {
    expect(acceptsHost('evil.example', { boundTo })).toBe(false)
    expect(acceptsHost('localhost:4020', { boundTo })).toBe(true)
  }
  for (const boundTo of ['0.0.0.0', '::', '192.168.1.5']) {
    expect(acceptsHost('machine.lan:4020', { boundTo })).toBe(true)
  }
})

test('a request without Host is of HTTP/1.0, which no browser speaks; a public URL that is none adds nothing', () => {
  expect(acceptsHost(undefined, { boundTo: '127.0.0.1' })).toBe(true)
  for (const publicUrl of [undefined, 'no url']) {
    expect(acceptsHost('evil.example', { boundTo: '127.0.0.1', publicUrl })).toBe(false)
  }
  expect(acceptsHost('127.10.200.3:80', { boundTo: '127.0.0.1' })).toBe(true)
})
