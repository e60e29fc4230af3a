/** Any thrown value as what the user is told: code, message, what to do next, exit code. By class, never by text. */
import { Errors } from '@oclif/core'
import { ConfigError, CredentialError, KeychainError } from '../config/errors.ts'
import type { ApiError } from '../contract/errors.ts'
import { ApiResponseError, InputError, UnreachableError, UnreadableResponseError } from '../http/errors.ts'
import type { ErrorReport } from '../output/error-text.ts'
import { OutputError } from '../output/output-error.ts'
import { LinkTimeoutError } from '../workflows/link-bank.ts'
import { OperationFailedError, WaitTimeoutError } from '../workflows/wait-for-operation.ts'
import { adviceOn } from './advice.ts'
import { type ExitName, exitCodes, exitNameOfStatus } from './exit-codes.ts'
import { type FactSources, factsOf, helpOf } from './facts.ts'
import { type Circumstances, FailedCommand } from './failed-command.ts'
import { InterruptedError } from './interrupt.ts'
import { OutcomeError } from './outcome-error.ts'
import { UsageError } from './usage-error.ts'

/** What oclif puts around the message of an error that a flag's or argument's parser threw. */
const oclifFrame = /^Parsing \S+ \n\t(?<said>.*)\nSee more help with --help$/s

/** What the user is told about a thrown value. `argv` gives the ids and the command that the next step names. */
export function describeFailure(
  error: unknown,
  argv: readonly string[],
  circumstances: Circumstances = {},
): ErrorReport {
  if (error instanceof FailedCommand) return describeFailure(error.cause, argv, error.circumstances)
  if (error instanceof ApiResponseError) return ofResponse(error, argv, circumstances)
  if (error instanceof OperationFailedError) {
    const { operation, subject } = error
    const reason = operation.error ?? { code: 'operation_failed', message: error.message }
    return {
      ...fromApi({ error: reason, argv, circumstances, subject }),
      exit_code: exitCodes.operationFailed.code,
    }
  }
  if (error instanceof WaitTimeoutError) {
    return {
      code: 'still_running',
      message: error.message,
      hint: `bankapi operations wait ${error.operationId}`,
      exit_code: exitCodes.stillRunning.code,
    }
  }
  if (error instanceof LinkTimeoutError) {
    return {
      code: 'still_running',
      message: error.message,
      hint: `When the user is done, the Connection shows up in: bankapi connections list --client ${error.clientId}`,
      exit_code: exitCodes.stillRunning.code,
    }
  }
  if (error instanceof InterruptedError) {
    return {
      code: 'interrupted',
      message: error.message,
      hint: error.hint,
      exit_code: exitCodes.interrupted.code,
    }
  }
  if (error instanceof UnreachableError) {
    return {
      code: 'unreachable',
      message: error.message,
      hint: error.hint,
      exit_code: exitCodes.unreachable.code,
    }
  }
  if (error instanceof UnreadableResponseError) {
    return {
      code: error.code,
      message: error.message,
      http_status: error.httpStatus,
      trace_id: error.traceId,
      hint: error.hint,
      exit_code: exitCodes[exitNameOfUnreadable(error)].code,
    }
  }
  if (error instanceof InputError) {
    const noCredential = error.code === 'invalid_credential' || error.code === 'portal_secret_missing'
    return {
      code: error.code,
      message: error.message,
      param: error.param,
      hint: error.hint,
      exit_code: exitCodes[noCredential ? 'notAuthenticated' : 'usage'].code,
    }
  }
  if (error instanceof OutputError || error instanceof UsageError) {
    const message = error.message.replace(oclifFrame, '$<said>')
    return { code: error.code, message, hint: error.hint, exit_code: exitCodes.usage.code }
  }
  if (error instanceof OutcomeError) {
    return {
      code: error.code,
      message: error.message,
      hint: error.hint,
      exit_code: exitCodes[error.exit].code,
    }
  }
  if (error instanceof ConfigError || error instanceof CredentialError || error instanceof KeychainError) {
    return {
      code: error.code,
      message: error.message,
      hint: error.hint,
      exit_code: exitCodes[exitNameOfConfig(error)].code,
    }
  }
  if (error instanceof Errors.CLIError) return ofOclif(error, argv, circumstances)
  return ofBug(error, circumstances)
}

/** What ended early, after the allowed retries, is worth another try later; what nobody can read is not. */
function exitNameOfUnreadable({ reason, httpStatus = 0 }: UnreadableResponseError): ExitName {
  return reason === 'cut' || httpStatus >= 500 ? 'unreachable' : 'unexpected'
}

function exitNameOfConfig(error: ConfigError | CredentialError | KeychainError): ExitName {
  if (error instanceof KeychainError) return 'notAuthenticated'
  if (error instanceof CredentialError) {
    return error.code === 'missing' || error.code === 'unreadable' ? 'notAuthenticated' : 'usage'
  }
  return error.code === 'emulator_not_running' ? 'unreachable' : 'usage'
}

function ofResponse(
  error: ApiResponseError,
  argv: readonly string[],
  circumstances: Circumstances,
): ErrorReport {
  const { httpStatus, operation, retryAfterMs } = error
  const byCode: Partial<Record<string, ExitName>> = {
    unknown_api_key: 'notAuthenticated',
    insufficient_scope: 'notAllowed',
    idempotency_conflict: 'conflict',
    validation_failed: 'rejected',
    invalid_request: 'rejected',
    rate_limit_exceeded: 'rateLimited',
  }
  const assumed =
    error.assumedEndpoint && (httpStatus === 404 || httpStatus === 405)
      ? `The reference does not show this path: ${operation.method} ${operation.path} is an assumption.\n` +
        `Set the right one: bankapi config set endpoints.${operation.area}.${operation.name} 'METHOD /path'`
      : undefined
  const said = fromApi({ error: error.error, argv, circumstances, operation, retryAfterMs })
  return {
    ...said,
    http_status: httpStatus,
    trace_id: error.traceId ?? error.error.trace_id,
    hint: [said.hint, assumed].filter((part) => part !== undefined).join('\n'),
    exit_code: exitCodes[byCode[error.error.code] ?? exitNameOfStatus(httpStatus)].code,
  }
}

/** The code's own sentence and next step; what the service said itself is kept beside it. */
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

function ofOclif(error: Errors.CLIError, argv: readonly string[], circumstances: Circumstances): ErrorReport {
  return {
    code: 'usage',
    message: error.message.replace(/\nSee more help with --help$/, '').replaceAll(/\s+/g, ' '),
    hint: helpOf(argv, circumstances),
    exit_code: exitCodes.usage.code,
  }
}

/** A short report request; the stack is for those who ask for it with --debug. */
function ofBug(error: unknown, { program }: Circumstances): ErrorReport {
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
