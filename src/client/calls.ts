/** The types of calls, in which every operation of the client is written. */
import type { CallOptions } from '../api/options.ts'
import type { Page } from '../contract/values.ts'

/** What is optional may be undefined, too. */
type Given<Input> = {
  [K in keyof Input]: object extends Pick<Input, K> ? Input[K] | undefined : Input[K]
}

type Arguments<Input> = object extends Input
  ? [input?: Given<Input>, options?: CallOptions]
  : [input: Given<Input>, options?: CallOptions]

/**
 * Rejects with an ApiResponseError, UnreachableError, UnreadableResponseError or InputError, or with the reason of
 * `options.signal`.
 */
export type Call<Input, Answer> = (...args: Arguments<Input>) => Promise<Answer>

/** A page at a time, or with `all` every row of every page from `cursor` on, of which one page is in memory. */
export interface ListCall<Input, Row> {
  (...args: Arguments<Input>): Promise<Page<Row>>
  readonly all: (...args: Arguments<Input>) => AsyncGenerator<Row, void, undefined>
}
