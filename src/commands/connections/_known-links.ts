/** Notes which Connections have a valid link in a file, so that no second one is made: not the link itself, which is a secret. */
import { join, resolve } from 'node:path'
import type { Machine } from '../../machine/machine.ts'
import { dataDir } from '../../machine/paths.ts'
import { readPrivateFile, writePrivateFile } from '../../machine/private-file.ts'

export interface KnownLink {
  readonly expires_at: string
  /** The file it was written to. */
  readonly file: string
}

export class KnownLinks {
  readonly #machine: Machine
  readonly #path: string
  readonly #environment: string
  readonly #known: Map<string, KnownLink>

  constructor(machine: Machine, environment: string) {
    this.#machine = machine
    this.#environment = environment
    this.#path = join(dataDir(machine), 'reauthorize-links.json')
    this.#known = new Map(Object.entries(parse(readPrivateFile(machine, this.#path))))
  }

  /** The link that was made before, while it is valid. */
  of(connectionId: string): KnownLink | undefined {
    const found = this.#known.get(`${this.#environment}/${connectionId}`)
    return found !== undefined && Date.parse(found.expires_at) > this.#machine.now() ? found : undefined
  }

  /** @throws FileError when the disk refuses. */
  note(connectionId: string, expires_at: string, file: string): void {
    for (const [id, { expires_at: end }] of this.#known)
      if (Date.parse(end) <= this.#machine.now()) this.#known.delete(id)
    this.#known.set(`${this.#environment}/${connectionId}`, { expires_at, file: resolve(file) })
    writePrivateFile(this.#machine, this.#path, `${JSON.stringify(Object.fromEntries(this.#known))}\n`)
  }
}

function parse(text: string | undefined): Record<string, KnownLink> {
  try {
    const known: unknown = JSON.parse(text ?? '{}')
    return typeof known === 'object' && known !== null ? (known as Record<string, KnownLink>) : {}
  } catch {
    return {}
  }
}
