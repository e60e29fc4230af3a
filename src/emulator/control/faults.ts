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
  /** How many times it applies; without it, always. */
  readonly times?: number
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
  forRequest(method: string, path: string): Fault | undefined
  forDelivery(eventType: string): Fault | undefined
}

interface Active {
  fault: Fault
  readonly method: string
  readonly matches: (subject: string) => boolean
}

export function createFaults(): Faults {
  let active: Active[] = []
  let made = 0

  function take(method: string, subject: string): Fault | undefined {
    if (active.length === 0) return undefined
    const entry = active.find((one) => (one.method === '*' || one.method === method) && one.matches(subject))
    if (!entry) return undefined
    entry.fault = { ...entry.fault, struck: entry.fault.struck + 1 }
    if (entry.fault.times !== undefined && entry.fault.struck >= entry.fault.times) {
      active = active.filter((one) => one !== entry)
    }
    return entry.fault
  }

  return {
    add(order) {
      const { method, subject } = parsePattern(order.pattern)
      made += 1
      const fault: Fault = { ...order, id: `fault_${made}`, struck: 0 }
      active.push({ fault, method, matches: wildcards(subject) })
      return fault
    },
    list: () => active.map(({ fault }) => fault),
    clear() {
      const count = active.length
      active = []
      return count
    },
    forRequest: (method, path) => take(method, path),
    forDelivery: (eventType) => take('DELIVERY', eventType),
  }
}

/** `METHOD subject`, or a subject alone, which matches every method. Throws TypeError for anything else. */
function parsePattern(pattern: string): { method: string; subject: string } {
  const match = /^(?:([A-Za-z]+|\*)\s+)?(\S+)$/.exec(pattern.trim())
  const subject = match?.[2]
  if (subject === undefined) throw new TypeError(`not a fault pattern: ${pattern}`)
  return { method: match?.[1]?.toUpperCase() ?? '*', subject }
}
