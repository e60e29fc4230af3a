/** The base class of commands whose answer carries a secret that the service shows once. */
import type { Command } from '@oclif/core'
import { ApiCommand } from './api-command.ts'

export abstract class SecretCommand<T extends typeof Command, Result extends object> extends ApiCommand<
  T,
  Result
> {
  #isWhole = false

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
    const view = await this.createView()
    await this.print(view.record(result))
  }
}
