/** The base class of commands whose answer carries a secret that the service shows once. */
import type { Command } from '@oclif/core'
import { BankapiError } from '../../errors.ts'
import { assertCombined } from '../../output/document.ts'
import { safeBlock, safeJson } from '../../output/safe-text.ts'
import { ApiCommand } from './api-command.ts'

/** A secret that is only in the answer: unless it is printed, nobody has it. */
interface Unkept {
  readonly secret: string
  /** Called when stdout cannot be written. Takes back what was made, and says what became of it. */
  readonly undo: () => Promise<string>
}

export abstract class SecretCommand<T extends typeof Command, Result> extends ApiCommand<T, Result> {
  #isWhole = false
  #unkept: Unkept | undefined

  /** Refuses what could never be printed before anything is made. */
  protected override async prepare(): Promise<void> {
    const { jq } = this.flags
    if (this.format !== undefined) assertCombined({ format: this.format, jq, columns: this.chosenColumns })
    if (jq !== undefined) {
      const { assertCompiles } = await import('../../output/formats/jq.ts')
      await assertCompiles(jq)
    }
    await super.prepare()
  }

  /** Prints everything of an answer in which a secret is missing: it is shown once, and may be there under another name. */
  protected readonly printWhole = async (answer: object | string): Promise<void> => {
    if (typeof answer === 'string') {
      await this.print(safeBlock(answer))
      return
    }
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
    this.#chooseAll()
    this.warning(
      `the answer has no field ${field}. It is shown once, so everything that came is printed; nothing is stored.`,
    )
    return undefined
  }

  /**
   * Says that a secret is stored nowhere. It is printed then whatever --jq and --columns choose; `undo` is called when stdout
   * cannot be written.
   */
  protected printsOnly(secret: string, undo: () => Promise<string>): void {
    this.#unkept = { secret, undo }
    // A stream that cannot be written would end the process (bin/run.js), and the secret would be lost with it.
    const { stdout, stderr } = this.terminal
    for (const stream of [stdout, stderr]) stream.removeAllListeners('error').on('error', () => {})
  }

  protected override async render(result: Result): Promise<void> {
    if (this.#unkept !== undefined) await this.#printSecret(result, this.#unkept)
    else if (!this.#isWhole || this.format !== undefined) await super.render(result)
    else await this.printWhole(result as object)
  }

  async #printSecret(result: Result, { secret, undo }: Unkept): Promise<void> {
    let failure: unknown
    let text = await this.rendered(result).catch((error: unknown) => {
      failure = error
      return ''
    })
    if (!text.includes(secret)) {
      this.#chooseAll()
      this.warning('the secret comes once and is stored nowhere, so everything that came is printed.')
      text = await this.rendered(result)
    }
    let reason = 'its reader went away'
    const isPrinted = await this.print(text).catch((error: Error) => {
      reason = error.message
      return false
    })
    if (!isPrinted) {
      throw new BankapiError(
        `stdout cannot be written (${reason}), so nobody has the secret: ${await undo()}`,
        {
          code: 'secret_not_printed',
          exit: 'unexpected',
        },
      )
    }
    if (failure !== undefined) throw failure
  }

  #chooseAll(): void {
    this.flags = { ...this.flags, output: this.format, json: false, jq: undefined, columns: undefined }
  }
}
