/** One failure, written to stderr once: as text for people, or as one JSON document under `--json`. */
import { errorDocument, renderError } from '../output/error-text.ts'
import { safeBlock } from '../output/safe-text.ts'
import { FailedCommand } from './failed-command.ts'
import { describeFailure } from './failure.ts'
import { terminalOf } from './terminal.ts'

/** Writes the failure and returns its exit code. */
export function reportFailure(error: unknown, argv: readonly string[], process: NodeJS.Process): number {
  const report = describeFailure(error, argv)
  const { stderr, errorColor } = terminalOf(process)
  stderr.write(
    wantsJson(argv)
      ? errorDocument(report)
      : renderError(report, {
          width: stderr.columns ?? 80,
          color: errorColor,
          tty: Boolean(stderr.isTTY),
        }),
  )
  const thrown = error instanceof FailedCommand ? error.cause : error
  if (argv.includes('--debug') && thrown instanceof Error && thrown.stack)
    stderr.write(`${safeBlock(thrown.stack)}\n`)
  return report.exit_code
}

/** Whether stdout was to be JSON: asked of the raw words, as the flags may not have been parsed. */
export function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--')
  const words = end === -1 ? argv : argv.slice(0, end)
  return words.some(
    (word, index) =>
      word === '--json' ||
      word === '--jq' ||
      word.startsWith('--jq=') ||
      /^(-o|--output=)(json|ndjson)$/.test(word) ||
      (/^(-o|--output)$/.test(word) && /^(json|ndjson)$/.test(words[index + 1] ?? '')),
  )
}
