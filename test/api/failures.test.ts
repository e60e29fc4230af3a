/** Failures that a loopback test cannot cause, by the codes that Node and undici give them. */
import { expect, test } from 'vitest'
import { explain } from '../../src/api/failures.ts'

const when = {
  route: { origin: new URL('https://api.bank.test'), proxy: undefined },
  operation: { method: 'GET', path: '/clients' },
  phase: 'headers',
  expired: false,
} as const

function coded(code: string): Error {
  return Object.assign(new Error('words that may change'), { code })
}

test.each([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['EHOSTUNREACH', 'network'],
  ['ENETUNREACH', 'network'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['CERT_HAS_EXPIRED', 'tls'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls'],
  ['never heard of', 'reset'],
])('%s is %s, and may have been sent', (code, reason) => {
  expect(explain(coded(code), when)).toMatchObject({ code: 'unreachable', reason, nothingSent: false })
})

test('nothing was sent only when every address refused the connection', () => {
  const refused = new AggregateError([coded('ECONNREFUSED'), coded('ECONNREFUSED')])
  expect(explain(refused, when)).toMatchObject({ reason: 'refused', nothingSent: true })
  const mixed = new AggregateError([coded('ECONNREFUSED'), coded('EHOSTUNREACH')])
  expect(explain(mixed, when)).toMatchObject({ reason: 'network', nothingSent: false })
})

test('a failure while the body is read is a truncated answer, whatever its code', () => {
  for (const code of ['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'Z_BUF_ERROR']) {
    expect(explain(coded(code), { ...when, phase: 'body' })).toMatchObject({ reason: 'cut' })
  }
})
