/** What `import … from 'undici'` means in the bundle: the parts it names, without fetch, caches and web sockets. */
import type { Dispatcher, request as wholeRequest } from 'undici'
import requestOf from 'undici/lib/api/api-request.js'

export { default as Agent } from 'undici/lib/dispatcher/agent.js'

type Options = NonNullable<Parameters<typeof wholeRequest>[1]>

/** As undici's, with a dispatcher. */
export function request(
  url: string,
  { dispatcher, ...options }: Options & { dispatcher: Dispatcher },
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url)
  const whole = { method: 'GET', ...options, origin, path: pathname + search }
  return requestOf.call(dispatcher, whole as Dispatcher.RequestOptions)
}
