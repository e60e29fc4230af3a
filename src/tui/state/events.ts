/** The events that change the state, the clock included, and the effects that the state asks for. */
import type { DeliveryFacts } from './delivery-row.ts'
import type { DetailTab, ListName } from './model.ts'
import type { OperationFacts } from './operation-row.ts'
import type { Line } from './pieces.ts'
import type { Parent, ResourceKind, ResourceRow } from './resource-row.ts'

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
      readonly notes: readonly Line[]
      readonly tabs: readonly DetailTab[]
    }
  /** All rows read so far. `done` says whether it is complete or failed. */
  | {
      readonly kind: 'resources'
      readonly reading: number
      readonly rows: readonly ResourceRow[]
      readonly done: 'complete' | 'failed' | undefined
      readonly note: string | undefined
    }
  | {
      readonly kind: 'link'
      readonly connectionId: string
      readonly url: string
      readonly note: string
    }
  | { readonly kind: 'replayed'; readonly id: number; readonly text: string; readonly ok: boolean }
  | { readonly kind: 'refreshed'; readonly operation: OperationFacts }
  | { readonly kind: 'listener-starting' }
  | {
      readonly kind: 'listening'
      readonly url: string
      readonly targets: readonly string[]
      readonly subscription: string | undefined
    }
  /** It could not start. */
  | { readonly kind: 'not-listening'; readonly text: string }
  | { readonly kind: 'target'; readonly url: string; readonly up: boolean; readonly error: string }
  | { readonly kind: 'listener-closed' }
  | { readonly kind: 'noticed'; readonly text: string; readonly ok: boolean }

export type Effect =
  | { readonly kind: 'poll'; readonly id: string }
  | { readonly kind: 'reread'; readonly ids: readonly number[] }
  /** `ask`: read it from the service, too, if it is kept there. */
  | {
      readonly kind: 'load-detail'
      readonly list: ListName
      readonly key: string
      readonly ask: boolean
    }
  | {
      readonly kind: 'load-resources'
      readonly reading: number
      readonly resource: ResourceKind
      readonly of: Parent | undefined
    }
  | { readonly kind: 'replay'; readonly id: number }
  | { readonly kind: 'refresh'; readonly connectionId: string }
  | { readonly kind: 'reauthorize'; readonly connectionId: string }
  | { readonly kind: 'send-test'; readonly subscription: string | undefined }
  | { readonly kind: 'listen' }
  | { readonly kind: 'copy'; readonly text: string }
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'quit' }

/** The next state and the effects to perform. */
export type Step<S> = readonly [state: S, effects: readonly Effect[]]
