/**
 * Keeps the ids that commands have read, for the completion of the shell: `<data>/known-ids-<env>.json`, 0600. Ids alone,
 * no names and nothing else of what was read. A cache: whatever goes wrong with it is no failure.
 */
import { join } from 'node:path'
import type { Machine } from '../../machine/machine.ts'
import { dataDir } from '../../machine/paths.ts'
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../../machine/private-file.ts'

/** What is kept, by the prefix of its ids: Clients, Connections, Accounts, Operations, Subscriptions. */
export const knownPrefixes = ['cli', 'con', 'acc', 'op', 'whk'] as const

type Prefix = (typeof knownPrefixes)[number]
type Ids = Readonly<Record<Prefix, readonly string[]>>

/** Ids of each kind; the oldest go first. */
const MAX_IDS = 500
/** Rows that one command looks at: a long list costs no more than a short one. */
const MAX_ROWS = 5_000

/** What a shell takes as it is, without quotes. Other ids are not completed. */
const PLAIN = /^[a-z]+_[A-Za-z0-9._-]{1,120}$/
/** Valid only until the user has finished the widget. */
const PLACEHOLDER = /^con_[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/

/** The fields of an answer that may hold one of these ids. */
const fields = ['id', 'client_id', 'connection_id', 'account_id', 'operation_id', 'subscription_id']

/** Collects ids while a command runs. */
export class KnownIds {
  readonly #path: string
  readonly #machine: Machine
  readonly #seen: Readonly<Record<Prefix, Set<string>>> = sets()
  #rows = 0

  constructor(machine: Machine, environment: string) {
    this.#machine = machine
    this.#path = join(dataDir(machine), `known-ids-${environment}.json`)
  }

  /** Takes the ids of an answer of the service: of a resource, or of each row of a list. */
  note(answer: unknown): void {
    if (!isObject(answer)) return
    const { data } = answer
    for (const row of Array.isArray(data) ? data : [answer]) {
      if (this.#rows >= MAX_ROWS) return
      this.#rows += 1
      if (!isObject(row)) continue
      for (const field of fields) this.#add(row[field])
    }
  }

  #add(id: unknown): void {
    if (typeof id !== 'string') return
    const seen = this.#seen[id.slice(0, id.indexOf('_')) as Prefix]
    if (seen === undefined || seen.size >= MAX_IDS || seen.has(id) || !isKept(id)) return
    seen.add(id)
  }

  /** Adds what was noted to the file; where nothing is new, it is only read. */
  save(): void {
    if (knownPrefixes.every((prefix) => this.#seen[prefix].size === 0)) return
    try {
      const before = this.read()
      const added = knownPrefixes.map((prefix) => this.#seen[prefix].difference(new Set(before[prefix])))
      if (added.every((ids) => ids.size === 0)) return
      const after = knownPrefixes.map((prefix, index) => [
        prefix,
        [...before[prefix], ...(added[index] ?? [])].slice(-MAX_IDS),
      ])
      const text = `${JSON.stringify(Object.fromEntries(after))}\n`
      writePrivateFile(this.#machine, this.#path, text, { flushed: false })
    } catch {
      // A folder that cannot be written: then nothing is completed.
    }
  }

  /** The ids of the file, those that were read last at the end; none where it is missing, damaged or unsafe. */
  read(): Ids {
    const ids = sets()
    try {
      const text = readPrivateFile(this.#machine, this.#path, { secret: true })
      const stored: unknown = JSON.parse(text ?? '{}')
      for (const prefix of knownPrefixes) {
        const list = isObject(stored) ? stored[prefix] : undefined
        if (!Array.isArray(list)) continue
        for (const id of list.slice(-MAX_IDS)) {
          if (typeof id === 'string' && id.startsWith(`${prefix}_`) && isKept(id)) ids[prefix].add(id)
        }
      }
    } catch {
      // As if there were none.
    }
    return Object.fromEntries(knownPrefixes.map((prefix) => [prefix, [...ids[prefix]]])) as unknown as Ids
  }

  /** Removes the file, and what was noted. @throws FileError `not_writable` when it stays. */
  forget(): void {
    for (const prefix of knownPrefixes) this.#seen[prefix].clear()
    removePrivateFile(this.#path)
  }
}

function sets(): Record<Prefix, Set<string>> {
  return { cli: new Set(), con: new Set(), acc: new Set(), op: new Set(), whk: new Set() }
}

function isKept(id: string): boolean {
  return PLAIN.test(id) && !PLACEHOLDER.test(id)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
