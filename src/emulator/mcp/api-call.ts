/** A tool's requests to the API: inside the emulator, by the same routes, so that every rule, limit and fault holds. */
import type { FastifyInstance } from 'fastify'
import { type Endpoint, type Input, type Output, successOf } from '../../contract/endpoint.ts'
import { type ApiError, ErrorEnvelope } from '../../contract/errors.ts'
import { basePath } from '../../contract/service.ts'
import { Unavailable } from '../server/errors.ts'

/** A refusal of the API, with its error object. */
export class ApiRefusal extends Error {
  readonly error: ApiError

  constructor(error: ApiError) {
    super(error.message)
    this.name = 'ApiRefusal'
    this.error = error
  }
}

export interface ApiCaller {
  readonly authorization: string
  /** Aborted when the caller wants no answer any more. */
  readonly signal: AbortSignal
}

/** Calls an operation with the caller's key and returns its body. Throws ApiRefusal, or Unavailable without an answer. */
export type CallApi = <E extends Endpoint>(
  endpoint: E,
  input: Input<E>,
  headers?: Readonly<Record<string, string>>,
) => Promise<Output<E>>

type Values = Readonly<Record<string, unknown>>

export function apiCalls(app: FastifyInstance, { authorization, signal }: ApiCaller): CallApi {
  return async <E extends Endpoint>(
    endpoint: E,
    input: Input<E>,
    headers: Readonly<Record<string, string>> = {},
  ) => {
    const { path, rest } = intoPath(endpoint, input as Values)
    const response = await app
      .inject({
        method: endpoint.method,
        url: `${basePath}${path}`,
        signal,
        ...contentOf(endpoint, rest, { host: 'localhost', authorization, ...headers }),
      })
      // A fault closed the connection.
      .catch(() => undefined)
    signal.throwIfAborted()
    const body = parsed(response?.payload)
    if (response?.statusCode === successOf(endpoint).status && body !== undefined) return body as Output<E>
    const refusal = ErrorEnvelope.safeParse(body)
    if (!refusal.success) throw new Unavailable('The service did not answer this tool.', 502)
    const retryAfter = response?.headers['retry-after']
    throw new ApiRefusal({
      ...refusal.data.error,
      ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }),
    })
  }
}

function intoPath({ path }: Endpoint, input: Values): { path: string; rest: Values } {
  const rest = Object.entries(input).filter(
    ([name, value]) => value !== undefined && !path.includes(`{${name}}`),
  )
  return {
    path: path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(input[name]))),
    rest: Object.fromEntries(rest),
  }
}

function contentOf({ method, body }: Endpoint, rest: Values, headers: Readonly<Record<string, string>>) {
  if (method === 'GET') {
    const query = Object.entries(rest).map(([name, value]) => [name, String(value)])
    return { headers, query: Object.fromEntries(query) as Record<string, string> }
  }
  return body === undefined
    ? { headers: { ...headers, 'content-length': '0' } }
    : { headers: { ...headers, 'content-type': 'application/json' }, payload: JSON.stringify(rest) }
}

/** Undefined for a body that a fault cut short. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
