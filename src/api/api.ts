/** The contract made callable: `await api.connections.refresh({ connection_id })`. */
import { areas } from '../contract/areas.ts'
import type { Contract } from '../contract/contract.ts'
import { type Endpoint, type Input, isEmpty, isFile, type Output, successOf } from '../contract/endpoint.ts'
import type { Page } from '../contract/values.ts'
import { baseOf, methodAndPathOf } from './address.ts'
import { dataOf } from './answer.ts'
import { attempt } from './attempt.ts'
import { type ContractOperation, compose } from './compose.ts'
import { ClosedError, UnreadableResponseError } from './errors.ts'
import type { CreateTransport, HttpAnswer, HttpRequest } from './http.ts'
import { type ApiOptions, type CallOptions, type Clock, limitsOf, retriesOf, timeoutsOf } from './options.ts'
import { items } from './pages.ts'
import { proxyFor } from './proxy.ts'
import { composeRaw, type RawRequest, type RawResponse, rawResponse } from './raw.ts'
import { withRetries } from './retry.ts'
import { createWatcher } from './warnings.ts'

type Arguments<E extends Endpoint> =
  object extends Input<E>
    ? [input?: Input<E>, options?: CallOptions]
    : [input: Input<E>, options?: CallOptions]

/** One operation as a function. Rejects with the errors of errors.ts, or with the reason of `options.signal`. */
export type Call<E extends Endpoint> = (...args: Arguments<E>) => Promise<Output<E>>

type Callable<E> = E extends Endpoint ? Call<E> : never

/** Every operation, by area and name. */
export type Operations = {
  readonly [A in keyof Contract]: { readonly [N in keyof Contract[A]]: Callable<Contract[A][N]> }
}

export interface Api extends Operations {
  /** Sends any request, with the authentication, retries and errors of the operation it matches. */
  request(request: RawRequest, options?: CallOptions): Promise<RawResponse>
  /** Closes every connection at once, so that the process can end. Calls after it fail. */
  close(): Promise<void>
}

/**
 * Creates the API. Nothing is loaded, no credential read and no connection opened before the first call.
 * @throws InputError for an unusable base URL or proxy; a call throws it for an unusable override.
 */
export function createApi(options: ApiOptions, createTransport: CreateTransport): Api {
  const { clock } = options
  const base = baseOf(options.baseUrl)
  const origin = new URL(base.origin)
  const route = { origin, proxy: proxyFor(origin, options.env ?? {}) }
  const timeouts = timeoutsOf(options)
  const transport = createTransport({ origin: base.origin, proxy: route.proxy, timeouts })
  const attempts = { transport, route, clock, timeouts, limits: limitsOf(options), log: options.log }
  const closing = new AbortController()
  const sleep: Clock['sleep'] = (ms, signal = closing.signal) =>
    clock.sleep(ms, AbortSignal.any([signal, closing.signal]))
  const waiting = { now: () => clock.now(), elapsed: () => clock.elapsed(), sleep }
  const retrying = { ...options, clock: waiting, retries: retriesOf(options) }
  const watch = options.onWarning ? createWatcher(options.onWarning) : undefined

  const send = async (httpRequest: HttpRequest, { signal, onReply }: CallOptions): Promise<HttpAnswer> => {
    const once = (number: number): Promise<HttpAnswer> => attempt(httpRequest, number, attempts, signal)
    const answer = await withRetries(httpRequest, once, retrying, signal)
    const reply = { status: answer.status, traceId: answer.traceId, headers: answer.headers }
    options.onReply?.(reply)
    onReply?.(reply)
    return answer
  }

  const call = async (operation: ContractOperation, input: object, more: CallOptions): Promise<unknown> => {
    const { endpoint, ref } = operation
    more.signal?.throwIfAborted()
    const httpRequest = await compose(
      operation,
      input as Readonly<Record<string, unknown>>,
      more,
      options,
      base,
    )
    const answer = await send(httpRequest, more)
    const data = await dataOf(answer, { operation: ref, endpoint, now: clock.now() }).catch(
      async (error: unknown) => {
        const { content } = answer
        if (error instanceof UnreadableResponseError && content.kind === 'whole' && content.bytes.length > 0)
          await more.onUnreadable?.(new TextDecoder().decode(content.bytes))
        throw error
      },
    )
    options.onData?.(data)
    const { body } = successOf(endpoint)
    if (watch && !isFile(body) && !isEmpty(body)) watch(`${ref.area}.${ref.name}`, body, data)
    return data
  }

  return {
    ...callables(options, call),
    async request(request, more = {}) {
      more.signal?.throwIfAborted()
      const { httpRequest, match } = await composeRaw(request, options, base)
      return rawResponse(await send(httpRequest, more), match, clock.now())
    },
    async close() {
      closing.abort(new ClosedError(undefined))
      await transport.close()
    },
  }
}

type CallOperation = (operation: ContractOperation, input: object, more: CallOptions) => Promise<unknown>

/** What `await` and JSON.stringify ask every object for. */
const notOperations = new Set(['then', 'toJSON'])

/** A function for any name of an area: the area, and so its names, is loaded at the first call. */
function callables({ overrides = {} }: ApiOptions, call: CallOperation): Operations {
  const functionsOf = (area: keyof Contract): object => {
    const operationOf = async (name: string): Promise<ContractOperation> => {
      const endpoints: Readonly<Record<string, Endpoint>> = await areas[area]()
      const endpoint = endpoints[name]
      if (endpoint === undefined) throw new TypeError(`there is no operation ${area}.${name}`)
      const methodAndPath = methodAndPathOf(`${area}.${name}`, endpoint, overrides[`${area}.${name}`])
      return { endpoint, methodAndPath, ref: { ...methodAndPath, area, name } }
    }
    const callable = (name: string) => {
      const one = async (input: object = {}, more: CallOptions = {}) =>
        call(await operationOf(name), input, more)
      const page = async (input: object, more: CallOptions = {}) => {
        const operation = await operationOf(name)
        if (!operation.endpoint.paged) throw new TypeError(`${area}.${name} is no list`)
        return (await call(operation, input, more)) as Page<unknown>
      }
      const all = (input: object = {}, more?: CallOptions) => items(page, input, more)
      return Object.assign(one, { all })
    }
    // Made once, and replaceable, as a test of the caller may do.
    return new Proxy<Record<string, unknown>>(
      {},
      {
        get(made, name) {
          if (typeof name !== 'string' || notOperations.has(name)) return undefined
          made[name] ??= callable(name)
          return made[name]
        },
      },
    )
  }
  const names = Object.keys(areas) as (keyof Contract)[]
  // Operations is mapped over the contract, whose areas these are.
  return Object.fromEntries(names.map((area) => [area, functionsOf(area)])) as unknown as Operations
}
