import { BankapiError } from '../errors.ts'

/** A request about output that cannot be met: an unknown column, a jq program with a mistake in it (exit 2). */
export class OutputError extends BankapiError {
  override readonly name = 'OutputError'

  constructor(sentence: string, hint?: string, code: 'usage' | 'jq_failed' = 'usage') {
    super(sentence, { code, exit: 'usage', hint })
  }
}
