/** Types of stored deliveries, and their conversion from and to database rows. */

/** A header as received, in its original spelling. */
export type HeaderPair = readonly [name: string, value: string]

/** `unknown_type`: an envelope of a type the reference does not list. `no_envelope`: anything else. */
export type DeliveryShape = 'event' | 'unknown_type' | 'no_envelope'

export interface NewDelivery {
  /** Unix milliseconds. */
  receivedAt: number
  environment: string
  subscription?: string | undefined
  method: string
  /** With its query. */
  path: string
  headers: readonly HeaderPair[]
  /** The exact bytes; of a stored delivery that did not verify, their beginning. */
  body: Uint8Array
  eventId?: string | undefined
  type?: string | undefined
  livemode?: boolean | undefined
  shape: DeliveryShape
  verified: boolean
  /** The reason it was refused: a code, and a sentence. */
  reason?: string | undefined
  detail?: string | undefined
  /** The URL it is to be forwarded to; a delivery that has this and no forward was interrupted. */
  forwardTo?: string | undefined
  /** The id of the delivery that was sent again. */
  replayOf?: number | undefined
}

export interface ForwardResult {
  url: string
  /** Absent when no answer came. */
  status?: number | undefined
  durationMs: number
  headers?: readonly HeaderPair[] | undefined
  /** Only its beginning is stored. */
  body?: Uint8Array | undefined
  error?: string | undefined
}

export interface Delivery extends NewDelivery {
  /** Grows in the order of storing. */
  id: number
  duplicate: boolean
  /** The size of a body of which only the beginning is kept. */
  bodyBytes?: number | undefined
  /** Its forwards, oldest first. */
  forwards: RecordedForward[]
}

export interface RecordedForward extends ForwardResult {
  headers: readonly HeaderPair[]
  body: Uint8Array
}

export interface DeliveryFilter {
  /** An exact type, or one with a `*` at its end: `connection.*`. */
  type?: string | undefined
  /** Unix milliseconds: received then or later. */
  since?: number | undefined
  /**
   * Those that somebody still has to do something about, replays aside: refused, until a replay is answered 2xx or the
   * event comes with a right signature; or meant for a target, when it came or in a replay, and no target has answered 2xx
   * to the event in any attempt. Of an event's repeats the newest that was.
   */
  failed?: true | undefined
  verified?: boolean | undefined
  /** `false` leaves out repeats of an event. */
  duplicates?: boolean | undefined
  environment?: string | undefined
  /** Stored before the delivery with this id. */
  before?: number | undefined
  /** The newest this many. */
  limit?: number | undefined
}

/** How a delivery ended, without its body. */
export interface DeliveryOutcome {
  /** Unix milliseconds. */
  readonly receivedAt: number
  readonly verified: boolean
  readonly duplicate: boolean
  /** `accepted`: it answered 2xx. `nowhere`: there was none, or it had accepted the event before. Replays do not count. */
  readonly target: 'accepted' | 'failed' | 'nowhere'
  /** How long the target took to answer; undefined without an answer. */
  readonly durationMs?: number | undefined
}

export interface OutcomeRow {
  received_at: number
  verified: number | boolean
  duplicate: number | boolean
  wanted: number | boolean
  accepted: number | boolean
  duration_ms: number | null
}

export function readOutcome(row: OutcomeRow): DeliveryOutcome {
  return {
    receivedAt: Number(row.received_at),
    verified: Boolean(row.verified),
    duplicate: Boolean(row.duplicate),
    target: row.accepted ? 'accepted' : row.wanted ? 'failed' : 'nowhere',
    durationMs: row.duration_ms ?? undefined,
  }
}

export interface DeliveryRow {
  id: number
  received_at: number
  environment: string
  subscription: string
  method: string
  path: string
  headers: string
  body: Uint8Array
  body_bytes: number | null
  event_id: string | null
  type: string | null
  livemode: number | null
  shape: DeliveryShape
  verified: number
  reason: string | null
  detail: string | null
  duplicate: number
  forward_to: string | null
  replay_of: number | null
}

export interface ForwardRow {
  url: string
  status: number | null
  duration_ms: number
  headers: string
  body: Uint8Array
  error: string | null
}

export function readDelivery(row: DeliveryRow, forwards: ForwardRow[]): Delivery {
  return {
    id: row.id,
    receivedAt: row.received_at,
    environment: row.environment,
    subscription: row.subscription === '' ? undefined : row.subscription,
    method: row.method,
    path: row.path,
    headers: JSON.parse(row.headers) as HeaderPair[],
    body: row.body,
    bodyBytes: row.body_bytes ?? undefined,
    eventId: row.event_id ?? undefined,
    type: row.type ?? undefined,
    livemode: row.livemode === null ? undefined : row.livemode === 1,
    shape: row.shape,
    verified: row.verified === 1,
    reason: row.reason ?? undefined,
    detail: detailOf(row),
    duplicate: row.duplicate === 1,
    forwardTo: row.forward_to ?? undefined,
    replayOf: row.replay_of ?? undefined,
    forwards: forwards.map((forward) => ({
      url: forward.url,
      status: forward.status ?? undefined,
      durationMs: forward.duration_ms,
      headers: JSON.parse(forward.headers) as HeaderPair[],
      body: forward.body,
      error: forward.error ?? undefined,
    })),
  }
}

function detailOf({ detail, body, body_bytes }: DeliveryRow): string | undefined {
  if (body_bytes === null) return detail ?? undefined
  const cut = `The first ${body.byteLength} of its ${body_bytes} bytes are kept.`
  return detail === null ? cut : `${detail} ${cut}`
}

/** The tables of the inbox, or expressions that stand for them. */
export interface Tables {
  readonly deliveries: string
  readonly forwards: string
  readonly seenEvents: string
  /** The condition that a row of `deliveries`, which has this name, has this event id. */
  readonly hasEventId: (row: string, eventId: string) => string
}

const sameSubscription = 'other.subscription = deliveries.subscription'
/** What was refused may come again to a listener that is given the right secret, and not the subscription. */
const sameOrNoSubscription = `(${sameSubscription} OR '' IN (other.subscription, deliveries.subscription))`

function failed({ deliveries, forwards, seenEvents, hasEventId }: Tables): string {
  /** Another delivery is of the event. Outside an envelope an event id is not signed, and tells nothing about others. */
  const sameEvent = `${hasEventId('other', 'deliveries.event_id')} AND other.verified AND other.shape <> 'no_envelope'
    AND other.environment = deliveries.environment`
  const there = (other: string) => `EXISTS (SELECT 1 FROM ${deliveries} AS other WHERE ${other})`
  const accepted = (other: string) =>
    there(`${other} AND EXISTS (
      SELECT 1 FROM ${forwards} AS forwards WHERE forwards.delivery_id = other.id AND forwards.status BETWEEN 200 AND 299)`)
  const tried = (name: string) => `(${name}.forward_to IS NOT NULL OR EXISTS (
    SELECT 1 FROM ${deliveries} AS attempt WHERE attempt.replay_of = ${name}.id AND attempt.forward_to IS NOT NULL))`
  return `(replay_of IS NULL AND NOT ${accepted('other.id = deliveries.id')}
    AND NOT ${accepted('other.replay_of = deliveries.id')}
    AND CASE WHEN verified THEN ${tried('deliveries')} AND NOT (deliveries.shape <> 'no_envelope' AND (
      ${there(`${sameEvent} AND ${sameSubscription} AND other.id > deliveries.id
        AND other.replay_of IS NULL AND ${tried('other')}`)}
      OR EXISTS (SELECT 1 FROM ${seenEvents} AS seen
        WHERE seen.accepted AND seen.event_id = deliveries.event_id AND seen.environment = deliveries.environment
          AND seen.subscription = deliveries.subscription)
      OR ${accepted(`${sameEvent} AND ${sameSubscription}`)}))
    ELSE NOT ${there(`${sameEvent} AND ${sameOrNoSubscription} AND other.replay_of IS NULL`)} END)`
}

/**
 * The SQL condition of a filter, over a row of `deliveries`, for SQLite and Postgres. `bind` takes a value and returns its
 * place in the statement.
 */
export function where(
  filter: DeliveryFilter,
  tables: Tables,
  bind: (name: string, value: string | number) => string,
): string {
  const { type, since, environment, verified } = filter
  const conditions = ['TRUE']
  if (type?.endsWith('*')) {
    const prefix = type.slice(0, -1)
    conditions.push(`substr(type, 1, ${[...prefix].length}) = ${bind('prefix', prefix)}`)
  } else if (type !== undefined) {
    conditions.push(`type = ${bind('type', type)}`)
  }
  if (since !== undefined) {
    conditions.push(`received_at >= ${bind('since', since)}`)
  }
  if (environment !== undefined) {
    conditions.push(`environment = ${bind('environment', environment)}`)
  }
  if (filter.before !== undefined) conditions.push(`deliveries.id < ${bind('before', filter.before)}`)
  if (verified !== undefined) conditions.push(verified ? 'verified' : 'NOT verified')
  if (filter.duplicates === false) conditions.push('NOT duplicate')
  if (filter.failed) conditions.push(failed(tables))
  return conditions.join(' AND ')
}

/** The columns of an OutcomeRow. */
export function outcomeColumns(forwards: string): string {
  const own = `FROM ${forwards} AS forwards WHERE forwards.delivery_id = deliveries.id`
  return `received_at, verified, duplicate,
    (forward_to IS NOT NULL OR EXISTS (SELECT 1 ${own})) AS wanted,
    EXISTS (SELECT 1 ${own} AND forwards.status BETWEEN 200 AND 299) AS accepted,
    (SELECT duration_ms ${own} AND forwards.status IS NOT NULL ORDER BY forwards.id LIMIT 1) AS duration_ms`
}

/** Of a target's response; the rest is not kept. */
const MAX_RESPONSE_BYTES = 16 * 1024

export function keptAnswer({ body }: ForwardResult): Uint8Array {
  return (body ?? new Uint8Array()).subarray(0, MAX_RESPONSE_BYTES)
}

/** Whether the target has taken the delivery. */
export function isAccepted({ status }: ForwardResult): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** Stored in place of a credential. */
const notKept = '[not kept]'

/** Names of headers that carry a credential. The signatures of deliveries are not among them: they give no access. */
const credential = /authorization|authenticat|cookie|token|secret|passw|credential|api-?key|session/i

/** The headers without the values of credentials. Names stay: their presence may matter. */
export function withoutCredentials(headers: readonly HeaderPair[]): HeaderPair[] {
  return headers.map(([name, value]) => [name, credential.test(name) ? notKept : value])
}

/** The headers whose values were stored. */
export function withValues(headers: readonly HeaderPair[]): HeaderPair[] {
  return headers.filter(([, value]) => value !== notKept)
}
