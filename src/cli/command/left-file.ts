import { lstatSync, type Stats } from 'node:fs'
import { BankapiError } from '../../errors.ts'
import { assertReplaceable, replaceFile } from '../../machine/private-file.ts'
import type { LeftItems } from '../../workflows/bulk.ts'
import { systemMessage, UsageError } from '../errors/errors.ts'

/**
 * The file of `--left`: replaced as a whole, or not at all. Each id is taken out of it before its request is sent, so that it
 * is right whenever the run is killed; at the end it is written also when there is nothing left.
 */
export class LeftFile implements LeftItems {
  readonly path: string
  #ids: readonly string[] = []
  readonly #taken = new Set<string>()
  readonly #underWay = new Set<string>()

  /** @throws UsageError when it could not be written later, so that nothing is sent then. */
  constructor(path: string) {
    this.path = path
    if (existing(path)?.isFile() === false)
      throw new UsageError(`${path} is no ordinary file`, {
        code: 'not_a_file',
        hint: 'Name another file with --left',
      })
    try {
      assertReplaceable(path)
    } catch (error) {
      throw new UsageError(`${path} cannot be written: ${systemMessage(error)}`, {
        code: 'not_writable',
        hint: 'Name another file with --left',
      })
    }
  }

  /** Whether anything may have been sent. */
  get begun(): boolean {
    return this.#ids.length > 0
  }

  begin(ids: readonly string[]): void {
    this.#ids = ids
  }

  take(id: string): void {
    this.#taken.add(id)
    this.#underWay.add(id)
    this.#update()
  }

  settled(id: string, isLeft: boolean): void {
    this.#underWay.delete(id)
    if (isLeft) this.#taken.delete(id)
    try {
      this.#update()
    } catch {
      // The next `take`, or the end, tells what cannot be written.
    }
  }

  /** Writes what is left at the end. @throws BankapiError when the disk refuses. */
  write(ids: readonly string[]): void {
    this.#replace(ids, { flushed: true })
  }

  #update(): void {
    const left = this.#ids.filter((id) => !this.#taken.has(id))
    const underWay = [...this.#underWay].map((id) => `# under way: ${id}`)
    this.#replace([...left, ...underWay], { flushed: false })
  }

  #replace(lines: readonly string[], { flushed }: { readonly flushed: boolean }): void {
    try {
      replaceFile(this.path, lines.map((line) => `${line}\n`).join(''), flushed)
    } catch (error) {
      throw new BankapiError(`${this.path} cannot be written: ${systemMessage(error)}`, {
        code: 'not_writable',
        exit: 'unexpected',
        hint: 'What is left has the outcome "left" in the rows',
      })
    }
  }
}

/** What is at the path; undefined also where it cannot be looked at: writing says why. */
function existing(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}
