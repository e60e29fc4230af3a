/** Turns any thrown value into code, message, next step and exit code, and writes them to stderr: text, or JSON under `--json`. */
import { Errors } from '@oclif/core'
import { ApiResponseError, InputError, UnreadableResponseError } from '../../api/errors.ts'
import { closest } from '../../config/errors.ts'
import type { ApiError } from '../../contract/errors.ts'
import { BankapiError, exitCodes } from '../../errors.ts'
import { type ErrorReport, errorDocument, renderError } from '../../output/error-text.ts'
import { loadPaint } from '../../output/palette.ts'
import { safeBlock } from '../../output/safe-text.ts'
import { redacted } from '../../secrets/redaction.ts'
import { OperationFailedError } from '../../workflows/operation-errors.ts'
import type { CommandLine } from '../command-line.ts'
import { terminalOf } from '../terminal/terminal.ts'
import { adviceOn } from './advice.ts'
import { type CommandContext, FailedCommand } from './errors.ts'
import { type FactSources, factsOf, helpOf } from './facts.ts'

/**
 * The report of a thrown value, without secrets. `context` gives the ids and the command that the next step names.
 */
export function describeFailure(error: unknown, context: CommandContext = {}): ErrorReport {
  // Every text in it, before a line that is too long for the terminal could break a secret in two.
  return JSON.parse(redacted(JSON.stringify(describe(error, context))))
}

function describe(error: unknown, context: CommandContext): ErrorReport {
  if (error instanceof FailedCommand) return describe(error.cause, error.context)
  if (error instanceof Errors.CLIError) return ofOclif(error, context)
  if (!(error instanceof BankapiError)) return ofBug(error, context)
  const { code, sentence: message } = error
  const more = moreOf(error, context)
  return { code, message, ...more, hint: more.hint ?? error.hint, exit_code: exitCodes[error.exit].code }
}

/** The further facts that some errors carry: an answer of the service, a failed Operation, the wrong parameter. */
function moreOf(error: BankapiError, context: CommandContext): Partial<ErrorReport> {
  if (error instanceof ApiResponseError) return ofResponse(error, context)
  if (error instanceof OperationFailedError) {
    const reason = error.operation.error ?? { code: error.code, message: error.sentence }
    return fromApi({ error: reason, context, subject: error.subject })
  }
  if (error instanceof UnreadableResponseError) {
    return { http_status: error.httpStatus, trace_id: error.traceId }
  }
  return error instanceof InputError ? { param: error.param } : {}
}

function ofResponse(error: ApiResponseError, context: CommandContext): Partial<ErrorReport> {
  const { httpStatus, operation, retryAfterMs } = error
  const assumed =
    error.assumedEndpoint && (httpStatus === 404 || httpStatus === 405)
      ? `The reference does not show this path: ${operation.method} ${operation.path} is an assumption.\n` +
        `Set the right one: bankapi config set endpoints.${operation.area}.${operation.name} 'METHOD /path'` +
        // The one operation that may well stand elsewhere than the others.
        (operation.area === 'health' ? ", or 'METHOD {root}/path' for one beside /v3" : '')
      : undefined
  const described = fromApi({ error: error.error, context, operation, retryAfterMs })
  const replayed = error.replayed ? replayAdvice(context) : undefined
  return {
    ...described,
    http_status: httpStatus,
    trace_id: error.traceId ?? error.error.trace_id,
    hint: [described.hint, replayed, assumed].filter((part) => part !== undefined).join('\n'),
  }
}

/** A replay is the same for 24 hours, so trying again under the same key would not help. */
function replayAdvice({ flags = {} }: CommandContext): string {
  return flags['idempotency-key'] === undefined
    ? 'The service repeats the answer of the first try. Run the command again: it takes a new idempotency key'
    : 'The service repeats the answer of the first request with this key, for 24 hours: take another --idempotency-key'
}

/** Our sentence and next step for the code, together with the service's own message. */
function fromApi(sources: FactSources): Omit<ErrorReport, 'exit_code'> {
  const { code, message, type, category, trace_id, doc_url, param, errors, accounts }: ApiError =
    sources.error
  const { sentence, next } = adviceOn(factsOf(sources))
  return {
    code,
    message: sentence ?? message,
    service_message: sentence === undefined ? undefined : message,
    type,
    category,
    trace_id,
    doc_url,
    param,
    errors,
    accounts,
    hint: next,
  }
}

function ofOclif(error: Errors.CLIError, context: CommandContext): ErrorReport {
  return {
    code: 'usage',
    // oclif names the help page in its last line; the hint does it here.
    message:
      unknownFlags(error) ??
      error.message.replace(/\nSee more help with --help$/, '').replaceAll(/\s+/g, ' '),
    hint: helpOf(context),
    exit_code: exitCodes.usage.code,
  }
}

/** What oclif's error about flags that a command does not have says of them. */
interface UnknownFlags {
  /** As typed: `--wiat`. */
  readonly flags: readonly string[]
  readonly parse: { readonly input: { readonly flags: Readonly<Record<string, { readonly char?: string }>> } }
}

/** The sentence about flags that the command does not have, with those that were probably meant. */
function unknownFlags(error: Errors.CLIError): string | undefined {
  const { flags: unknown, parse } = error as Errors.CLIError & Partial<UnknownFlags>
  if (unknown === undefined || parse === undefined) return undefined
  const known = Object.keys(parse.input.flags).map((name) => `--${name}`)
  return unknown
    .map((flag) => {
      // One dash before a word is a long flag that lacks the other.
      const meant = closest(flag.replace(/^-(?=[^-]{2})/, '--').replace(/=.*$/, ''), known)
      return `There is no flag ${flag.replace(/=.*$/, '')}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`
    })
    .join(' ')
}

/** A request to report the bug; the stack is shown with --debug only. */
function ofBug(error: unknown, { program }: CommandContext): ErrorReport {
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    code: 'unexpected',
    message: `This is a bug in bankapi, nothing you did wrong: ${what}`,
    hint:
      'Run it again with --debug and report what it prints' +
      (program === undefined ? '' : `, together with: ${program}`),
    exit_code: exitCodes.unexpected.code,
  }
}

/** Writes the failure and returns its exit code. */
export async function reportFailure(
  error: unknown,
  line: CommandLine,
  process: NodeJS.Process,
): Promise<number> {
  const { words, env, json, debug } = line
  // If no command ran, the words before the first flag are close to its name.
  const report = describeFailure(error, { command: words.slice(0, 3).join(' '), flags: { env } })
  const { stderr, errorColor } = terminalOf(process)
  const text = json
    ? errorDocument(report)
    : renderError(report, {
        width: stderr.columns ?? 80,
        paint: await loadPaint(errorColor, 'stderr'),
        tty: Boolean(stderr.isTTY),
      })
  stderr.write(text)
  const thrown = error instanceof FailedCommand ? error.cause : error
  if (debug && thrown instanceof Error && thrown.stack) stderr.write(redacted(`${safeBlock(thrown.stack)}\n`))
  return report.exit_code
}
