/** The inbox, wherever it is kept: deliveries that listeners received, and operations that were started or seen. */
import type {
  Delivery,
  DeliveryFilter,
  DeliveryOutcome,
  ForwardResult,
  NewDelivery,
} from './delivery-rows.ts'

/** SQLite returns at once, a database elsewhere later: callers await both. */
export type Stored<T> = T | Promise<T>

/** The methods of a store that returns at once. */
export type Immediate<T> = {
  [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Exclude<R, Promise<unknown>>
    : T[K]
}

/**
 * Runs one call of `deliveries` or `operations`; resolves to its result once it is stored. A store may let several share a
 * commit. Rejects with InboxError when it could not be stored.
 */
export type Batch = <T>(write: () => T) => Promise<Awaited<T>>

export interface Inbox {
  /** The file or the address, for people. */
  readonly place: string
  readonly deliveries: Deliveries
  readonly operations: Operations
  readonly batch: Batch
  /** Tries a write and rolls it back. Throws InboxError. */
  assertWritable(): Stored<void>
  close(): Stored<void>
}

/** Every method throws InboxError. */
export interface Deliveries {
  /**
   * Stores a delivery; when this returns, it survives a crash of this process. One that did not verify is cut to what
   * explains it, and the oldest of too many such is deleted. `duplicate` says that the same
   * environment and subscription had a verified delivery of the same event before, also when another process
   * stored it: of several at once, exactly one is not a duplicate. With `claim`, its event is claimed for it in the same
   * transaction.
   */
  record(delivery: NewDelivery, claim?: Claim): Stored<RecordedDelivery>
  /** Takes the event of a delivery just recorded for forwarding it: of several at once, in any process, one gets it. */
  claim(event: EventKey, deliveryId: number, claim: Claim): Stored<ClaimOutcome>
  /** Replaces the reason and the detail of a delivery that was refused; of one that has verified since it does nothing. */
  explain(id: number, reason: string | undefined, detail: string): Stored<void>
  /**
   * Makes a delivery that was refused a verified one, for a caller who has verified the whole body it has. Returns
   * whether it was refused until now, and all of its body is kept.
   */
  markVerified(id: number): Stored<boolean>
  /** Stores the outcome of a forward or a replay of a delivery. */
  recordForward(deliveryId: number, result: ForwardResult): Stored<void>
  /** Erases the bodies of an environment's deliveries that name one of these ids; returns how many. The deliveries stay. */
  erase(environment: string, ids: ReadonlySet<string>): Stored<number>
  /** The newest deliveries that fit, oldest of them first. */
  list(filter?: DeliveryFilter): Stored<Delivery[]>
  /** How those that fit ended, replays aside, oldest first: without bodies, so that many are few bytes. */
  outcomes(filter?: Omit<DeliveryFilter, 'limit'>): Stored<DeliveryOutcome[]>
  /** Every delivery of an event, oldest first. */
  get(eventId: string): Stored<Delivery[]>
  /** Deliveries stored after the one with this id, in order; ids grow in the order of storing, across processes. */
  after(id: number, limit?: number): Stored<Delivery[]>
  /** An id below which everything is stored and above which nothing is; 0 when there is no delivery. */
  lastId(): Stored<number>
}

export interface RecordedDelivery {
  id: number
  duplicate: boolean
  /** Undefined without a claim, and for what is no verified event. */
  claimed?: ClaimOutcome | undefined
}

export interface EventKey {
  eventId: string
  environment: string
  subscription?: string | undefined
}

/** `accepted`: a target has answered 2xx before. `running`: another delivery of the event is being forwarded. */
export type ClaimOutcome = 'claimed' | 'accepted' | 'running'

export interface Claim {
  /** Unix milliseconds. */
  at: number
  /** It ends when the outcome of the forward is recorded; this long after a listener that died. */
  forMs: number
}

/** An operation that was started or read through this inbox. */
export interface KnownOperation {
  environment: string
  id: string
  type?: string | undefined
  /** The Connection, Client or Statement it is on. */
  subject?: string | undefined
  /** As last seen; `queued` after the start. */
  status: string
  /** Unix milliseconds. */
  startedAt: number
  estimatedSeconds?: number | undefined
  seenAt: number
  completedAt?: number | undefined
}

export interface OperationSeen {
  environment: string
  id: string
  /** Unix milliseconds of this read; also the start, when the operation was unknown. */
  seenAt: number
  type?: string | undefined
  subject?: string | undefined
  status?: string | undefined
  startedAt?: number | undefined
  estimatedSeconds?: number | undefined
  completedAt?: number | undefined
}

/** The API has no list of operations. Every method throws InboxError. */
export interface Operations {
  /** Stores an operation, or new facts about one; what is left out stays as it was. */
  record(operation: OperationSeen): Stored<void>
  get(environment: string, id: string): Stored<KnownOperation | undefined>
  /** Deletes an environment's operations on these Connections and Clients. */
  erase(environment: string, subjects: ReadonlySet<string>): Stored<void>
  /** The newest that fit, newest first. */
  list(filter?: {
    environment?: string | undefined
    status?: string | undefined
    limit?: number | undefined
  }): Stored<KnownOperation[]>
}

/** Whether a delivery is one of an event whose repeats are told from the first: nothing unsigned counts. */
export function isKnownEvent<D extends Pick<NewDelivery, 'eventId' | 'verified' | 'shape'>>(
  delivery: D,
): delivery is D & { eventId: string } {
  return delivery.verified && delivery.shape !== 'no_envelope' && delivery.eventId !== undefined
}
