/** Writes a failure to stderr, once: as text for people, or as one JSON document under `--json`. */
import { errorDocument, renderError } from '../../output/error-text.ts'
import { safeBlock } from '../../output/safe-text.ts'
import type { CommandLine } from '../command-line.ts'
import { terminalOf } from '../terminal/terminal.ts'
import { FailedCommand } from './errors.ts'
import { describeFailure } from './failure.ts'

/** Writes the failure and returns its exit code. */
export function reportFailure(error: unknown, line: CommandLine, process: NodeJS.Process): number {
  const { words, env, json, debug } = line
  // Until a command has run, the words before its first flag are its name or close to it.
  const report = describeFailure(error, { command: words.slice(0, 3).join(' '), flags: { env } })
  const { stderr, errorColor } = terminalOf(process)
  const text = json
    ? errorDocument(report)
    : renderError(report, { width: stderr.columns ?? 80, color: errorColor, tty: Boolean(stderr.isTTY) })
  stderr.write(withoutSecrets(text))
  const thrown = error instanceof FailedCommand ? error.cause : error
  if (debug && thrown instanceof Error && thrown.stack)
    stderr.write(withoutSecrets(`${safeBlock(thrown.stack)}\n`))
  return report.exit_code
}

/**
 * Shows only the kind of a secret: a service, or a proxy before it, may repeat in its answer what it was sent. The
 * prefix of a key, which is safe to display, is shorter.
 */
function withoutSecrets(text: string): string {
  return text.replace(/\b(sk_test_|sk_live_|whsec_)\w{8,}/g, '$1…')
}
