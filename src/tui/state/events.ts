/** The events that change the state, the clock included, and the effects that the state asks for. */
import type { DeliveryFacts } from './delivery-row.ts'
import type { ListName } from './model.ts'
import type { OperationFacts } from './operation-row.ts'

export type TimedEvent = { readonly now: number } & TuiEvent

export type TuiEvent =
  /** The time of `nextTickAt` has come. */
  | { readonly kind: 'tick' }
  /** A character, or one of the names in keys.ts. */
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'resized'; readonly columns: number; readonly lines: number }
  | { readonly kind: 'operations'; readonly operations: readonly OperationFacts[] }
  | { readonly kind: 'polled'; readonly operation: OperationFacts; readonly nextInMs: number }
  /** `gone`: the service does not know the operation. */
  | { readonly kind: 'poll-failed'; readonly id: string; readonly text: string; readonly gone: boolean }
  | { readonly kind: 'deliveries'; readonly deliveries: readonly DeliveryFacts[] }
  /** Deliveries that were pending, read from the inbox again. */
  | { readonly kind: 'reread'; readonly deliveries: readonly DeliveryFacts[] }
  | {
      readonly kind: 'detail'
      readonly list: ListName
      readonly key: string
      readonly lines: readonly string[]
    }
  | { readonly kind: 'replayed'; readonly id: number; readonly text: string; readonly ok: boolean }
  | { readonly kind: 'refreshed'; readonly operation: OperationFacts }
  | { readonly kind: 'listening'; readonly url: string; readonly targets: readonly string[] }
  | { readonly kind: 'target'; readonly url: string; readonly up: boolean; readonly error: string }
  | { readonly kind: 'listener-closed' }
  | { readonly kind: 'noticed'; readonly text: string; readonly ok: boolean }

export type Effect =
  | { readonly kind: 'poll'; readonly id: string }
  | { readonly kind: 'reread'; readonly ids: readonly number[] }
  | { readonly kind: 'load-detail'; readonly list: ListName; readonly key: string }
  | { readonly kind: 'replay'; readonly id: number }
  | { readonly kind: 'refresh'; readonly connectionId: string }
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'quit' }

/** The next state and the effects to perform. */
export type Step<S> = readonly [state: S, effects: readonly Effect[]]
