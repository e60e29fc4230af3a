/** Keeps track of what the key may not read: a missing scope costs one request a run, however many accounts there are. */
import { ApiResponseError } from '../api/errors.ts'
import type { Kind } from './run-context.ts'

export class Scopes {
  readonly #probes = new Map<Kind, Promise<boolean>>()
  readonly #missing = new Map<Kind, string>()

  /** The kinds that the key may not read, with what the service said. */
  get missing(): ReadonlyMap<Kind, string> {
    return this.#missing
  }

  /**
   * Reads something of a kind, unless the key is known to lack its scope. The first read goes alone; the others wait for its
   * outcome. Returns whether it was read. Rejects with every failure but a missing scope.
   */
  async read(kind: Kind, run: () => Promise<void>): Promise<boolean> {
    const probe = this.#probes.get(kind)
    if (probe === undefined) {
      const first = this.#try(kind, run)
      const outcome = first.catch(() => true)
      this.#probes.set(kind, outcome)
      return first
    }
    if (!(await probe)) return false
    return this.#try(kind, run)
  }

  async #try(kind: Kind, run: () => Promise<void>): Promise<boolean> {
    try {
      await run()
      return true
    } catch (error) {
      if (!(error instanceof ApiResponseError && error.code === 'insufficient_scope')) throw error
      this.#missing.set(kind, error.sentence)
      this.#probes.set(kind, Promise.resolve(false))
      return false
    }
  }
}
