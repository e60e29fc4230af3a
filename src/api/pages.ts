/**
 * Iterates over lists: `for await (const account of items(api.accounts.list, { client_id }))`. One page is held at a
 * time, and it ends when `has_more` is false. A cursor that is missing or comes back is an error.
 */
import type { Page } from '../contract/values.ts'
import { UnreadableResponseError } from './errors.ts'
import type { CallOptions } from './options.ts'

type ListCall<I, P> = (input: I, options?: CallOptions) => Promise<P>

/** Every page from `input.cursor` on (from the first without one). Rejects as the call does. */
export async function* pages<I extends { cursor?: string | undefined }, P extends Page<unknown>>(
  call: ListCall<I, P>,
  input: I,
  options?: CallOptions,
): AsyncGenerator<P, void, undefined> {
  const seen = new Set<string>()
  let from = input
  for (;;) {
    if (from.cursor !== undefined) seen.add(from.cursor)
    const page = await call(from, options)
    const { has_more: more, next_cursor: cursor } = page
    if (typeof more !== 'boolean') throw broken('does not say whether it has more')
    yield page
    if (!more) return
    if (typeof cursor !== 'string' || cursor === '') throw broken('has more, and gives no cursor to it')
    if (seen.has(cursor)) throw broken('comes back to a page it gave before')
    from = { ...input, cursor }
  }
}

/** Every item of every page, in the order of the service. */
export async function* items<I extends { cursor?: string | undefined }, T>(
  call: ListCall<I, Page<T>>,
  input: I,
  options?: CallOptions,
): AsyncGenerator<T, void, undefined> {
  for await (const page of pages(call, input, options)) {
    // Not `yield*`, which takes three turns of the event loop for each item.
    for (const item of page.data) yield item
  }
}

function broken(what: string): UnreadableResponseError {
  return new UnreadableResponseError({
    reason: 'paging',
    message: `The service's list ${what}`,
    hint: 'What was read so far is not the whole list',
    operation: undefined,
  })
}
