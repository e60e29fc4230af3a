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

const post = { ...when, operation: { method: 'POST', path: '/clients' } } as const
const proxied = { ...when, route: { ...when.route, proxy: new URL('http://user:pass@proxy.test:3128') } }

test.each([
  ['ECONNREFUSED', 'Nothing answers at https://api.bank.test: the connection was refused', 'bankapi doctor'],
  ['ENOTFOUND', 'The name in https://api.bank.test cannot be resolved', 'bankapi doctor'],
  ['ENETDOWN', 'There is no way from here to https://api.bank.test', 'bankapi doctor'],
  ['CERT_HAS_EXPIRED', 'No secure connection to https://api.bank.test', 'NODE_EXTRA_CA_CERTS'],
  ['ECONNRESET', 'https://api.bank.test closed the connection without an answer', 'bankapi doctor'],
])('%s says what happened, and what to look at', (code, message, hint) => {
  expect(explain(coded(code), when)).toMatchObject({
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  })
})

test('what refuses on the way to a proxy is the proxy, named without its credentials; nothing else is', () => {
  for (const code of ['ENOTFOUND', 'EHOSTUNREACH', 'UND_ERR_PRX_CONN', 'UND_ERR_ABORTED']) {
    expect(explain(coded(code), proxied)).toMatchObject({
      reason: 'proxy',
      address: 'http://proxy.test:3128',
      message: 'The proxy http://proxy.test:3128 did not let the request through',
      hint: expect.stringContaining('HTTPS_PROXY'),
      nothingSent: false,
    })
  }
  expect(explain(coded('ECONNREFUSED'), proxied)).toMatchObject({ reason: 'proxy', nothingSent: true })
  expect(explain(coded('ECONNRESET'), proxied)).toMatchObject({ address: 'https://api.bank.test' })
  expect(explain(coded('UND_ERR_PRX_CONN'), when)).toMatchObject({ reason: 'reset' })
})

test.each([
  ['ETIMEDOUT', 'headers', 'connect', 'did not accept a connection in time'],
  ['ETIMEDOUT', 'body', 'body', 'began to answer and did not finish in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'headers', 'connect', 'did not accept a connection in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'headers', 'headers', 'did not answer in time'],
  ['UND_ERR_BODY_TIMEOUT', 'body', 'body', 'began to answer and did not finish in time'],
] as const)('%s while the %s are awaited is a time-out of the phase %s', (code, awaited, phase, message) => {
  expect(explain(coded(code), { ...when, phase: awaited })).toMatchObject({
    reason: 'timeout',
    phase,
    message: expect.stringContaining(message),
    hint: expect.stringContaining('Try again later'),
  })
})

test('what may have been done is to be looked at before it is tried again', () => {
  const look = 'It may have been done all the same: look before you try again'
  const hintOf = (code: string, context: Parameters<typeof explain>[1]) =>
    (explain(coded(code), context) as { hint?: string }).hint
  expect(hintOf('ECONNRESET', post)).toBe(look)
  expect(hintOf('UND_ERR_HEADERS_TIMEOUT', post)).toBe(look)
  expect(hintOf('UND_ERR_SOCKET', { ...post, phase: 'body' })).toBe(look)
  // Without a connection nothing was sent.
  expect(hintOf('UND_ERR_CONNECT_TIMEOUT', post)).not.toBe(look)
  for (const method of ['GET', 'DELETE'])
    expect(hintOf('ECONNRESET', { ...when, operation: { method, path: '/clients' } })).not.toBe(look)
})

test('the code of an error may be that of its cause, and what is no error has none', () => {
  expect(explain(new TypeError('fetch failed', { cause: coded('ENOTFOUND') }), when)).toMatchObject({
    reason: 'dns',
  })
  // Its own counts first; a number is none.
  expect(explain(Object.assign(coded('EPIPE'), { cause: coded('ENOTFOUND') }), when)).toMatchObject({
    reason: 'reset',
  })
  expect(
    explain(Object.assign(new Error('x', { cause: coded('ENOTFOUND') }), { code: 7 }), when),
  ).toMatchObject({ reason: 'dns' })
  for (const failure of ['a text', undefined, new AggregateError([])])
    expect(explain(failure, when)).toMatchObject({ reason: 'reset' })
})
