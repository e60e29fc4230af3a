/** A delivery as a row. Every text in it is safe to show; its body and headers stay in the inbox. */

export interface ForwardSeen {
  readonly url: string
  /** Undefined when no answer came. */
  readonly status: number | undefined
  readonly durationMs: number
  readonly error: string | undefined
}

export interface DeliveryFacts {
  /** In the inbox; grows in the order of storing. */
  readonly id: number
  /** Unix milliseconds. */
  readonly receivedAt: number
  readonly eventId: string | undefined
  readonly type: string | undefined
  readonly livemode: boolean | undefined
  /** The Connection, Account or Statement it is about. */
  readonly subject: string | undefined
  /** Every Connection, Account and Client it names: what it may hurry. */
  readonly mentions: readonly string[]
  readonly verified: boolean
  readonly reason: string | undefined
  readonly duplicate: boolean
  /** The delivery it repeats at the user's wish. */
  readonly replayOf: number | undefined
  readonly docUrl: string | undefined
  /** Nothing more will become of it. */
  readonly settled: boolean
  readonly forward: ForwardSeen | undefined
  /** Who tells how it ends: the listener inside tells by itself, the inbox has to be asked. */
  readonly from: 'listener' | 'inbox'
}

export interface DeliveryRow extends DeliveryFacts {
  /** When this screen learned of it, Unix milliseconds. */
  readonly seenAt: number
}

/** How a delivery looked to whoever checked it. */
export type Verdict = 'verified' | 'refused' | 'duplicate' | 'replay'
/** What became of it. */
export type ForwardState = 'none' | 'pending' | 'accepted' | 'failed'

export const verdicts: readonly Verdict[] = ['verified', 'refused', 'duplicate', 'replay']
export const forwardStates: readonly ForwardState[] = ['none', 'pending', 'accepted', 'failed']

/** Milliseconds before something under way is worth a row: what is quicker appears finished, without flicker. */
const WORTH_SHOWING = 100

export function verdictOf(row: DeliveryFacts): Verdict {
  if (row.replayOf !== undefined) return 'replay'
  if (!row.verified) return 'refused'
  return row.duplicate ? 'duplicate' : 'verified'
}

export function forwardStateOf(row: DeliveryFacts): ForwardState {
  if (row.forward === undefined) return row.settled ? 'none' : 'pending'
  const { status = 0 } = row.forward
  return status >= 200 && status < 300 ? 'accepted' : 'failed'
}

/** The row with what another source knows of the same delivery. What has ended stays ended. */
export function mergeDelivery(row: DeliveryRow, facts: DeliveryFacts): DeliveryRow {
  return {
    ...row,
    mentions: row.mentions.length > 0 ? row.mentions : facts.mentions,
    docUrl: row.docUrl ?? facts.docUrl,
    settled: row.settled || facts.settled,
    forward: facts.forward ?? row.forward,
    from: row.from === 'listener' ? row.from : facts.from,
  }
}

/** When a row may be shown, Unix milliseconds. */
export function shownFrom(row: DeliveryRow): number {
  return row.settled ? row.seenAt : row.seenAt + WORTH_SHOWING
}
