/** Any thrown value as what the user is told: code, message, what to do next, exit code. By class, never by text. */
import { Errors } from '@oclif/core'
import { ConfigError, CredentialError, KeychainError } from '../config/errors.ts'
import { type ApiError, errorCode } from '../contract/errors.ts'
import { ApiResponseError, InputError, UnreachableError, UnreadableResponseError } from '../http/errors.ts'
import type { ErrorReport } from '../output/error-text.ts'
import { OutputError } from '../output/output-error.ts'
import { LinkTimeoutError } from '../workflows/link-bank.ts'
import { OperationFailedError, WaitTimeoutError } from '../workflows/wait-for-operation.ts'
import { type ExitName, exitCodes, exitNameOfStatus } from './exit-codes.ts'
import { InterruptedError } from './interrupt.ts'
import { UsageError } from './usage-error.ts'

/** What the user is told about a thrown value. `argv` gives the command whose help is named for a usage error. */
export function describeFailure(error: unknown, argv: readonly string[]): ErrorReport {
  if (error instanceof ApiResponseError) return ofResponse(error)
  if (error instanceof OperationFailedError) {
    const { operation } = error
    const reason = operation.error ?? { code: 'operation_failed', message: error.message }
    return { ...fromApi(reason), exit_code: exitCodes.operationFailed.code }
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
      exit_code: exitCodes[(error.httpStatus ?? 0) >= 500 ? 'unreachable' : 'unexpected'].code,
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
    return { code: error.code, message: error.message, hint: error.hint, exit_code: exitCodes.usage.code }
  }
  if (error instanceof ConfigError || error instanceof CredentialError || error instanceof KeychainError) {
    return {
      code: error.code,
      message: error.message,
      hint: error.hint,
      exit_code: exitCodes[exitNameOfConfig(error)].code,
    }
  }
  if (error instanceof Errors.CLIError) return ofOclif(error, argv)
  return ofBug(error)
}

function exitNameOfConfig(error: ConfigError | CredentialError | KeychainError): ExitName {
  if (error instanceof KeychainError) return 'notAuthenticated'
  if (error instanceof CredentialError) {
    return error.code === 'missing' || error.code === 'unreadable' ? 'notAuthenticated' : 'usage'
  }
  return error.code === 'emulator_not_running' ? 'unreachable' : 'usage'
}

function ofResponse(error: ApiResponseError): ErrorReport {
  const { httpStatus, operation } = error
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
  return {
    ...fromApi(error.error),
    http_status: httpStatus,
    trace_id: error.traceId ?? error.error.trace_id,
    ...(assumed === undefined ? {} : { hint: assumed }),
    exit_code: exitCodes[byCode[error.error.code] ?? exitNameOfStatus(httpStatus)].code,
  }
}

/** The reference's own words about a code become the hint; a code it does not list keeps the message alone. */
function fromApi(error: ApiError): Omit<ErrorReport, 'exit_code'> {
  const { code, message, type, category, trace_id, doc_url, param, errors, accounts } = error
  return {
    code,
    message,
    type,
    category,
    trace_id,
    doc_url,
    param,
    errors,
    accounts,
    hint: errorCode(code)?.hint,
  }
}

function ofOclif(error: Errors.CLIError, argv: readonly string[]): ErrorReport {
  const command = argv.filter((word) => !word.startsWith('-')).slice(0, 2)
  return {
    code: 'usage',
    message: error.message.replace(/\nSee more help with --help$/, '').replaceAll(/\s+/g, ' '),
    hint: `bankapi ${[...command, '--help'].join(' ')}`,
    exit_code: exitCodes.usage.code,
  }
}

function ofBug(error: unknown): ErrorReport {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    code: 'unexpected',
    message,
    hint: 'This is a bug in bankapi. Run it again with --debug and report what it prints',
    exit_code: exitCodes.unexpected.code,
  }
}
