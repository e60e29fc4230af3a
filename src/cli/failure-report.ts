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
  const text = wantsJson(argv)
    ? errorDocument(report)
    : renderError(report, { width: stderr.columns ?? 80, color: errorColor, tty: Boolean(stderr.isTTY) })
  stderr.write(withoutSecrets(text))
  const thrown = error instanceof FailedCommand ? error.cause : error
  if (argv.includes('--debug') && thrown instanceof Error && thrown.stack)
    stderr.write(withoutSecrets(`${safeBlock(thrown.stack)}\n`))
  return report.exit_code
}

/**
 * A service, or a proxy before it, may repeat in its answer what it was sent: of a secret only its kind is shown. The
 * prefix of a key, which is safe to display, is shorter.
 */
function withoutSecrets(text: string): string {
  return text.replace(/\b(sk_test_|sk_live_|whsec_)\w{8,}/g, '$1…')
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
