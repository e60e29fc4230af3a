/** What every part of a run shares. */
import type { Mirror } from './mirror/mirror.ts'
import type { Reader } from './reader.ts'

export const dayMs = 86_400_000

/** Counts per kind of resource. */
export interface KindCounts {
  new: number
  changed: number
  /** Pending charges that settled under their id. */
  settled: number
  gone: number
}

export type Kind = 'clients' | 'connections' | 'accounts' | 'transactions' | 'statements' | 'checks'
export const kinds: readonly Kind[] = [
  'clients',
  'connections',
  'accounts',
  'transactions',
  'statements',
  'checks',
]

export class Counts {
  readonly #kinds = new Map<Kind, KindCounts>()

  of(kind: Kind): KindCounts {
    let found = this.#kinds.get(kind)
    if (found === undefined) {
      found = { new: 0, changed: 0, settled: 0, gone: 0 }
      this.#kinds.set(kind, found)
    }
    return found
  }

  get all(): Record<Kind, KindCounts> {
    return Object.fromEntries(kinds.map((kind) => [kind, this.of(kind)])) as Record<Kind, KindCounts>
  }
}

export interface RunContext {
  readonly mirror: Mirror
  readonly reader: Reader
  readonly counts: Counts
  /** Who writes: a stream that another has taken since refuses what this one writes. */
  readonly lease: string
  /** How long a lease holds without a sign of its writer; default: a minute. */
  readonly leaseMs?: number
  /** Whether a lease of another writer is taken at once: one process has the mirror to itself. */
  readonly takesOver: boolean
  /** `--full`: walks every account to its end. */
  readonly full: boolean
  /** `--accept-gone`: rule 5's bound on losses does not hold. */
  readonly acceptGone: boolean
}

/** Now by the service's clock, as the mirror stores it. */
export function timestamp({ reader }: Pick<RunContext, 'reader'>): string {
  return new Date(reader.now()).toISOString()
}
