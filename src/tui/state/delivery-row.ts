/** A delivery as a row of the list. Every text in it is safe to show; its body and headers stay in the inbox. */

export interface ForwardSeen {
  readonly url: string
  /** Undefined when there was no response. */
  readonly status: number | undefined
  readonly durationMs: number
  readonly error: string | undefined
}

export interface DeliveryFacts {
  /** Its id in the inbox, which grows in the order of storing. */
  readonly id: number
  /** Unix milliseconds. */
  readonly receivedAt: number
  readonly eventId: string | undefined
  readonly type: string | undefined
  readonly livemode: boolean | undefined
  /** The id of the Connection, Account or Statement of the event. */
  readonly subject: string | undefined
  /** Every Connection, Account and Client it names; operations on them are read sooner. */
  readonly mentions: readonly string[]
  readonly verified: boolean
  readonly reason: string | undefined
  readonly duplicate: boolean
  /** The delivery of which it is a replay. */
  readonly replayOf: number | undefined
  readonly docUrl: string | undefined
  /** Its outcome is final. */
  readonly settled: boolean
  readonly forward: ForwardSeen | undefined
  /** The source of its outcome: this process's listener reports it, the inbox has to be read again. */
  readonly from: 'listener' | 'inbox'
}

export interface DeliveryRow extends DeliveryFacts {
  /** When the TUI received it, Unix milliseconds. */
  readonly seenAt: number
  /** 2 for the second time that the event came, and so on. */
  readonly attempt: number
}

/** The result of checking a delivery. */
export type DeliveryVerdict = 'verified' | 'refused' | 'duplicate' | 'replay'
export type ForwardState = 'none' | 'pending' | 'accepted' | 'failed'

export const verdicts: readonly DeliveryVerdict[] = ['verified', 'refused', 'duplicate', 'replay']
export const forwardStates: readonly ForwardState[] = ['none', 'pending', 'accepted', 'failed']

/** A delivery that settles sooner appears settled at once, without flicker. */
const SHOWN_AFTER_MS = 100

export function verdictOf(row: DeliveryFacts): DeliveryVerdict {
  if (row.replayOf !== undefined) return 'replay'
  if (!row.verified) return 'refused'
  return row.duplicate ? 'duplicate' : 'verified'
}

export function forwardStateOf(row: DeliveryFacts): ForwardState {
  if (row.forward === undefined) return row.settled ? 'none' : 'pending'
  const { status = 0 } = row.forward
  return status >= 200 && status < 300 ? 'accepted' : 'failed'
}

/** Whether somebody has to look at it: it did not verify, or the target did not accept it. */
export function hasFailed(row: DeliveryFacts): boolean {
  return verdictOf(row) === 'refused' || forwardStateOf(row) === 'failed'
}

/** The row with the facts of another source about the same delivery. A settled row stays settled. */
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

/** The time from which a row is shown, Unix milliseconds. */
export function shownFrom(row: DeliveryRow): number {
  return row.settled ? row.seenAt : row.seenAt + SHOWN_AFTER_MS
}
