/** The events of a listener. It prints nothing: lines, JSON and the TUI are made from these. */
import type { DeliveryShape, HeaderPair } from '../inbox/delivery-rows.ts'

/** A delivery that is stored in the inbox. Its texts came from outside. */
export interface ReceivedDelivery {
  /** Its id in the inbox. */
  id: number
  /** Unix milliseconds. */
  receivedAt: number
  eventId: string | undefined
  type: string | undefined
  livemode: boolean | undefined
  /** The id of the Connection, Account or Statement of the event. */
  subject: string | undefined
  shape: DeliveryShape
  verified: boolean
  /** The reason it was refused: a code, and a sentence for the user of this machine, never for the sender. */
  reason: string | undefined
  detail: string | undefined
  /** Finds a better detail; undefined for what needs none. Not set in events that leave the listener. */
  explain?: (() => Promise<string | undefined>) | undefined
  /** A verified delivery of the same event came before. */
  duplicate: boolean
  /** Left out by the events filter: recorded and answered 200, neither shown nor forwarded. */
  filtered: boolean
  /** The body as JSON; undefined when it is none. */
  event: unknown
}

export interface ForwardOutcome {
  method: string
  url: string
  /** The target's status; undefined when it did not respond. */
  status: number | undefined
  durationMs: number
  headers: HeaderPair[]
  body: Uint8Array
  failure: 'unreachable' | 'timeout' | 'broken_answer' | 'aborted' | undefined
  /** A short description of the failure. */
  error: string | undefined
}

export type ListenerEvent =
  | {
      kind: 'ready'
      at: number
      url: string
      environment: string
      subscription: string | undefined
      targets: string[]
    }
  | { kind: 'delivery'; at: number; delivery: ReceivedDelivery }
  /** Follows `delivery` for a repeated event; `dropped` when dedupe answers it without forwarding. */
  | { kind: 'duplicate'; at: number; delivery: ReceivedDelivery; dropped: boolean }
  /** The target has not answered for `waitedMs`; it has `timeoutMs`. */
  | {
      kind: 'waiting'
      at: number
      delivery: ReceivedDelivery
      url: string
      waitedMs: number
      timeoutMs: number
    }
  | { kind: 'forwarded'; at: number; delivery: ReceivedDelivery; forward: ForwardOutcome; answered: number }
  /** The last event of every delivery: the status sent to the sender, and the forward if there was one. */
  | {
      kind: 'settled'
      at: number
      delivery: ReceivedDelivery
      forward: ForwardOutcome | undefined
      answered: number
    }
  /** A request that is no delivery: wrong method, path or host, too large, broken, too slow. Or a repeat that waited in vain. */
  | { kind: 'refused'; at: number; status: number; method: string; path: string; why: string }
  | { kind: 'target-up'; at: number; url: string }
  | { kind: 'target-down'; at: number; url: string; error: string }
  /** `fatal` when the listener cannot go on: it closes. */
  | { kind: 'error'; at: number; error: Error; fatal: boolean }
  /** It accepts nothing more, and waits for the answers to these forwards. */
  | { kind: 'closing'; at: number; forwards: number; timeoutMs: number }
  /** `forced`: what was under way was given up. */
  | { kind: 'closed'; at: number; forced: boolean }
