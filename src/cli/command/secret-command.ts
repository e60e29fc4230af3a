/** The base class of commands whose answer carries a secret that the service shows once. */
import type { Command } from '@oclif/core'
import { safeBlock, safeJson } from '../../output/safe-text.ts'
import { ApiCommand } from './api-command.ts'

export abstract class SecretCommand<T extends typeof Command, Result> extends ApiCommand<T, Result> {
  #isWhole = false

  /** Prints everything of an answer in which a secret is missing: it is shown once, and may be there under another name. */
  protected readonly printWhole = async (answer: object | string): Promise<void> => {
    if (typeof answer === 'string') return this.print(safeBlock(answer))
    const text = this.format === undefined ? (await this.createView()).record(answer) : safeJson(answer)
    await this.print(text)
  }

  /** Options of the call whose answer has the secret: one that cannot be read is printed as it came. */
  protected get onlyOnce() {
    return { signal: this.signal, onUnreadable: this.printWhole }
  }

  /**
   * The secret in an answer. Undefined when the answer has no such field: the secret may have another name than the
   * contract assumes, so a warning names the field and everything that came is printed, also what --jq and --columns
   * leave out. The caller stores nothing then.
   */
  protected secretIn(answer: object, field: string): string | undefined {
    const secret = (answer as Readonly<Record<string, unknown>>)[field]
    if (typeof secret === 'string' && secret !== '') return secret
    this.#isWhole = true
    this.flags = { ...this.flags, output: this.format, json: false, jq: undefined, columns: undefined }
    this.warning(
      `the answer has no field ${field}. It is shown once, so everything that came is printed; nothing is stored.`,
    )
    return undefined
  }

  protected override async render(result: Result): Promise<void> {
    if (!this.#isWhole || this.format !== undefined) return super.render(result)
    await this.printWhole(result as object)
  }
}
