/** Turns errors of undici and Node, told apart by their codes, into those of errors.ts. */
import type { OperationRef } from './errors.ts'
import { InputError, UnreachableError, type UnreachableReason, UnreadableResponseError } from './errors.ts'
import { isLoopback } from './proxy.ts'

export interface Route {
  readonly origin: URL
  readonly proxy: URL | undefined
}

export interface FailureContext {
  readonly route: Route
  readonly operation: OperationRef
  /** The part of the answer that was awaited: the status line and headers, or the body. */
  readonly phase: 'headers' | 'body'
  /** The deadline ran out. */
  readonly expired: boolean
  readonly httpStatus?: number | undefined
  readonly traceId?: string | undefined
}

const codes: Readonly<Record<string, UnreachableReason>> = {
  ECONNREFUSED: 'refused',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  EAI_NONAME: 'dns',
  EHOSTUNREACH: 'network',
  ENETUNREACH: 'network',
  ENETDOWN: 'network',
  EADDRNOTAVAIL: 'network',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_PRX_TLS: 'tls',
  EPROTO: 'tls',
  HOSTNAME_MISMATCH: 'tls',
}
const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|INVALID_PURPOSE|CRL_)/
const notHttp = /^(HPE|UND_ERR_HEADERS_OVERFLOW)/
const compressed = /^(Z_|ERR_BROTLI|ERR__|ERR_ZSTD|ZSTD_)/
/** undici's codes when a proxy opens no tunnel, or asks for other credentials. */
const proxyCode = /^(UND_ERR_PRX_CONN|UND_ERR_ABORTED|UND_ERR_INVALID_ARG)$/

/** The error to throw for a failure of an attempt; one of our own stays as it is. */
export function explain(failure: unknown, when: FailureContext): Error {
  if (failure instanceof InputError || failure instanceof UnreadableResponseError) return failure
  if (when.expired) return timedOut(failure, when, when.phase)

  const code = codeOf(failure)
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return timedOut(failure, when, 'connect')
  if (code === 'ETIMEDOUT') return timedOut(failure, when, when.phase === 'body' ? 'body' : 'connect')
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return timedOut(failure, when, 'headers')
  if (code === 'UND_ERR_BODY_TIMEOUT') return timedOut(failure, when, 'body')

  if (when.phase === 'body')
    return compressed.test(code) && code !== 'Z_BUF_ERROR' ? damaged(failure, when) : cut(failure, when)
  if (notHttp.test(code)) return foreign(failure, when)

  const reason = codes[code] ?? (tlsCode.test(code) ? 'tls' : 'reset')
  const proxied = when.route.proxy !== undefined
  if (proxied && (proxyCode.test(code) || ['refused', 'dns', 'network'].includes(reason))) {
    return unreachable(failure, when, 'proxy', code === 'ECONNREFUSED')
  }
  return unreachable(failure, when, reason, code === 'ECONNREFUSED')
}

/** The code of an error; of several connection attempts, the first that is not a refusal. */
function codeOf(failure: unknown): string {
  if (failure instanceof AggregateError && failure.errors.length > 0) {
    const all = failure.errors.map(codeOf)
    return all.find((code) => code !== 'ECONNREFUSED') ?? 'ECONNREFUSED'
  }
  if (!(failure instanceof Error)) return ''
  // undici's parser gives its errors a code only sometimes.
  if (failure.name === 'HTTPParserError') return 'HPE'
  const code = 'code' in failure && typeof failure.code === 'string' ? failure.code : ''
  return code === '' && failure.cause !== undefined ? codeOf(failure.cause) : code
}

function unreachable(
  cause: unknown,
  when: FailureContext,
  reason: UnreachableReason,
  nothingSent: boolean,
): Error {
  const address = (reason === 'proxy' && when.route.proxy ? when.route.proxy : when.route.origin).origin
  const { operation } = when
  return new UnreachableError({
    reason,
    address,
    operation,
    nothingSent,
    cause,
    ...words(reason, address, when),
  })
}

function words(
  reason: UnreachableReason,
  address: string,
  when: FailureContext,
): { message: string; hint: string } {
  const local = isLoopback(when.route.origin.hostname)
  const check = 'Check the network and the base URL: bankapi doctor'
  switch (reason) {
    case 'refused':
      return {
        message: `Nothing answers at ${address}: the connection was refused`,
        hint: local ? 'Is the emulator running? bankapi emulator start' : check,
      }
    case 'dns':
      return { message: `The name in ${address} cannot be resolved`, hint: check }
    case 'network':
      return { message: `There is no way from here to ${address}`, hint: check }
    case 'tls':
      return {
        message: `No secure connection to ${address}: its certificate or its TLS was not accepted`,
        hint: 'Behind a company proxy, name its certificate authority in NODE_EXTRA_CA_CERTS',
      }
    case 'proxy':
      return {
        message: `The proxy ${address} did not let the request through`,
        hint: 'Check HTTPS_PROXY and its credentials; NO_PROXY names the hosts that need no proxy',
      }
    default:
      return {
        message: `${address} closed the connection without an answer`,
        hint: mayBeDone(when) ? lookFirst : check,
      }
  }
}

const lookFirst = 'It may have been done all the same: look before you try again'

/** Whether a request without an answer may have been carried out, so that sending it again would do it twice. */
function mayBeDone({ operation }: FailureContext): boolean {
  return operation.method !== 'GET' && operation.method !== 'DELETE'
}

function timedOut(cause: unknown, when: FailureContext, phase: 'connect' | 'headers' | 'body'): Error {
  const address = when.route.origin.origin
  const what = {
    connect: `${address} did not accept a connection in time`,
    headers: `${address} did not answer in time`,
    body: `${address} began to answer and did not finish in time`,
  }
  return new UnreachableError({
    reason: 'timeout',
    address,
    phase,
    cause,
    message: what[phase],
    hint:
      phase !== 'connect' && mayBeDone(when)
        ? lookFirst
        : 'Try again later; bankapi doctor shows how far a request gets',
    operation: when.operation,
  })
}

function cut(cause: unknown, when: FailureContext): Error {
  return new UnreadableResponseError({
    reason: 'cut',
    message: `The answer of ${when.route.origin.origin} ended before it was complete`,
    hint: mayBeDone(when) ? lookFirst : 'Try again later',
    operation: when.operation,
    httpStatus: when.httpStatus,
    traceId: when.traceId,
    cause,
  })
}

function damaged(cause: unknown, when: FailureContext): Error {
  return new UnreadableResponseError({
    reason: 'encoding',
    message: `The answer of ${when.route.origin.origin} cannot be decompressed`,
    hint: 'Something on the way may have changed it: a proxy, a virus scanner',
    operation: when.operation,
    httpStatus: when.httpStatus,
    traceId: when.traceId,
    cause,
  })
}

function foreign(cause: unknown, when: FailureContext): Error {
  return new UnreadableResponseError({
    reason: 'not_http',
    message: `What answers at ${when.route.origin.origin} does not speak HTTP`,
    hint: 'Check scheme and port of the base URL: bankapi doctor',
    operation: when.operation,
    cause,
  })
}
