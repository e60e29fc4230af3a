/** Keeps the faults ordered for requests and deliveries, and finds the one that applies. */
import { wildcards } from './wildcards.ts'

export interface FaultOrder {
  // A `*` stands for one segment, `**` for any: `POST /connections/*/refresh`, or `DELIVERY connection.*`.
  readonly pattern: string
  /** Answer this status instead; for a delivery: as if the receiver had. */
  readonly status?: number
  /** Wait so long first, in milliseconds of real time. */
  readonly delay_ms?: number
  /** Close the connection without an answer; for a delivery: it never arrives. */
  readonly drop?: boolean
  /** Send half of the body. */
  readonly truncate?: boolean
  /** Seconds that a 409, 429 or 5xx asks to wait. */
  readonly retry_after?: number
  /** Refuse the cursor, as one of another query is; applies to requests that have one. */
  readonly refuse_cursor?: boolean
  /** How many requests that fit are let through first. */
  readonly after?: number
  /** How many times it applies; without it, always. */
  readonly times?: number
  /** Called when it applies, before the answer: what happens between two requests. In the emulator's own process only. */
  readonly meanwhile?: () => void
}

export interface Fault extends FaultOrder {
  readonly id: string
  /** How many times it has applied. */
  readonly struck: number
}

export interface Faults {
  add(order: FaultOrder): Fault
  list(): Fault[]
  clear(): number
  /** The first that matches and is not used up; it is counted. */
  forRequest(method: string, path: string, hasCursor: boolean): Fault | undefined
  forDelivery(eventType: string): Fault | undefined
}

interface Active {
  fault: Fault
  /** How many requests that fit are still let through. */
  spared: number
  readonly method: string
  readonly matches: (subject: string) => boolean
}

export function createFaults(): Faults {
  let active: Active[] = []
  let made = 0

  function take(method: string, subject: string, hasCursor = false): Fault | undefined {
    if (active.length === 0) return undefined
    let struck: Fault | undefined
    for (const entry of active.filter((one) => fits(one, method, subject, hasCursor))) {
      if (entry.spared > 0) {
        entry.spared -= 1
        continue
      }
      // What only happens meanwhile does not stand in the way of a fault.
      if (struck && !onlyMeanwhile(entry.fault)) continue
      const { meanwhile, times } = entry.fault
      entry.fault = { ...entry.fault, struck: entry.fault.struck + 1 }
      if (times !== undefined && entry.fault.struck >= times) active = active.filter((one) => one !== entry)
      meanwhile?.()
      if (!onlyMeanwhile(entry.fault)) struck = entry.fault
    }
    return struck
  }

  return {
    add(order) {
      const { method, subject } = parsePattern(order.pattern)
      made += 1
      const fault: Fault = { ...order, id: `fault_${made}`, struck: 0 }
      active.push({ fault, spared: order.after ?? 0, method, matches: wildcards(subject) })
      return fault
    },
    list: () => active.map(({ fault }) => fault),
    clear() {
      const count = active.length
      active = []
      return count
    },
    forRequest: take,
    forDelivery: (eventType) => take('DELIVERY', eventType),
  }
}

function fits(
  { fault: { refuse_cursor }, method, matches }: Active,
  wanted: string,
  subject: string,
  hasCursor: boolean,
): boolean {
  return (method === '*' || method === wanted) && (hasCursor || !refuse_cursor) && matches(subject)
}

/** True for one that changes no answer. */
function onlyMeanwhile({ status, delay_ms, drop, truncate, refuse_cursor, meanwhile }: Fault): boolean {
  return meanwhile !== undefined && !(status || delay_ms || drop || truncate || refuse_cursor)
}

/** `METHOD subject`, or a subject alone, which matches every method. Throws TypeError for anything else. */
function parsePattern(pattern: string): { method: string; subject: string } {
  const match = /^(?:([A-Za-z]+|\*)\s+)?(\S+)$/.exec(pattern.trim())
  const subject = match?.[2]
  if (subject === undefined) throw new TypeError(`not a fault pattern: ${pattern}`)
  return { method: match?.[1]?.toUpperCase() ?? '*', subject }
}
