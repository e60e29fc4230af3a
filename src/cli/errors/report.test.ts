import { parseArgs } from 'node:util'
import { describe, expect, it } from 'vitest'
import { operation } from '../../../test/support/fake-api.ts'
import { ApiResponseError, type OperationRef } from '../../api/errors.ts'
import { type ApiError, errorCodes } from '../../contract/errors.ts'
import { renderError } from '../../output/error-text.ts'
import { plainPaint } from '../../output/palette.ts'
import { OperationFailedError } from '../../workflows/operation-errors.ts'
import { type CommandContext, FailedCommand } from './errors.ts'
import { describeFailure } from './report.ts'

const refreshRef = {
  method: 'POST',
  path: '/connections/{connection_id}/refresh',
  area: 'connections',
  name: 'refresh',
}
const listChecks = { method: 'GET', path: '/accounts/{account_id}/checks', area: 'checks', name: 'list' }
const known: CommandContext = {
  program: 'bankapi/1.0.0 linux-x64 node-v24.0.0',
  environment: 'sandbox',
  client: 'cli_demo',
  key: 'sk_test_ab12…',
}

interface Case {
  readonly argv?: string
  readonly error?: Partial<ApiError>
  readonly operation?: OperationRef
  readonly retryAfterMs?: number
  readonly context?: CommandContext
}

/** A command line as its command has parsed it. */
function given(line: string): CommandContext {
  const options = { env: { type: 'string' }, url: { type: 'string' }, cursor: { type: 'string' } } as const
  const { values, positionals } = parseArgs({ args: line.split(' '), options, strict: false })
  const [area, verb, ...args] = positionals
  return { command: `${area} ${verb}`, flags: values, args: Object.fromEntries(args.entries()) }
}

/** What is said when the service refuses a request with a code. */
function refused(code: string, status: number, options: Case = {}) {
  const { argv = 'connections refresh con_FDE_123', operation: ref = refreshRef, retryAfterMs } = options
  const failure = new ApiResponseError({
    error: { code, message: 'In the words of the service.', ...options.error },
    httpStatus: status,
    traceId: 'tr_1',
    operation: ref,
    envelope: true,
    assumedEndpoint: false,
    replayed: false,
    retryAfterMs,
  })
  return describeFailure(new FailedCommand(failure, { ...(options.context ?? known), ...given(argv) }))
}

function notFound(): ApiResponseError {
  return new ApiResponseError({
    error: { code: 'not_found', message: 'No.' },
    httpStatus: 404,
    traceId: undefined,
    operation: refreshRef,
    envelope: true,
    assumedEndpoint: false,
    replayed: false,
    retryAfterMs: undefined,
  })
}

/** What is said when an operation that was waited for failed with a code. */
function failed(code: string, options: Case = {}) {
  const error = { code, message: 'In the words of the service.', ...options.error }
  const failure = new OperationFailedError(operation({ status: 'failed', error }), 'con_FDE_123')
  const argv = options.argv ?? 'operations wait op_1'
  return describeFailure(new FailedCommand(failure, { ...(options.context ?? known), ...given(argv) }))
}

describe('a key that may not', () => {
  it('insufficient_scope names the key, the scope and the command that adds it', () => {
    const argv = 'checks list acc_FDE_9 --client cli_demo --env sandbox'
    expect(refused('insufficient_scope', 403, { argv, operation: listChecks })).toMatchObject({
      message: 'The key sk_test_ab12… lacks read:checks',
      hint: expect.stringMatching(/^Add it: bankapi keys rotate-scopes --add read:checks --env sandbox\n/),
      exit_code: 4,
    })
  })

  it('insufficient_scope for keys themselves says that another key has to add it', () => {
    const ref = { method: 'GET', path: '/api-keys', area: 'keys', name: 'list' }
    expect(refused('insufficient_scope', 403, { argv: 'keys list', operation: ref }).hint).toBe(
      'With a key that has write:api-keys: bankapi keys rotate-scopes <its id> --add read:api-keys',
    )
  })

  it('insufficient_scope of a raw request that no operation matches still reads well', () => {
    const ref = { method: 'GET', path: '/else' }
    const said = refused('insufficient_scope', 403, { argv: 'api GET /else', operation: ref })
    expect(said.message).toBe('The key sk_test_ab12… lacks a scope that this request needs')
    expect(said.hint).toContain('keys rotate-scopes --add <scope>')
  })

  it('unknown_api_key names the key and how to see where it comes from', () => {
    expect(refused('unknown_api_key', 401)).toMatchObject({
      message: 'The service does not know the key sk_test_ab12…: it is no active key of sandbox',
      hint: 'See where it comes from: bankapi whoami --offline\nStore another one: bankapi login',
      exit_code: 3,
    })
  })

  it('live_key_not_allowed says to choose the sandbox', () => {
    expect(refused('live_key_not_allowed', 403)).toMatchObject({
      message: 'The key sk_test_ab12… is a live key, and this works in the sandbox only',
      hint: expect.stringContaining('--env sandbox'),
      exit_code: 4,
    })
  })

  it('firm_under_review names the command that shows the review', () => {
    expect(refused('firm_under_review', 403).hint).toContain('bankapi portal access-request status')
  })
})

it.each(Object.keys(errorCodes))('%s: an id in the message is as the service wrote it', (code) => {
  for (const { message, hint = '' } of [refused(code, 400), failed(code)]) {
    for (const [id] of `${message} ${hint}`.matchAll(/\bcon_\w+/gi)) expect(id).toBe('con_FDE_123')
  }
})

describe('a Connection that needs its user', () => {
  it.each(['credentials_invalid', 'mfa_required'])('%s names reauthorize with the id', (code) => {
    expect(failed(code)).toMatchObject({
      message: expect.stringContaining('con_FDE_123'),
      hint: expect.stringMatching(/: bankapi connections reauthorize con_FDE_123$/),
      exit_code: 9,
    })
  })

  it('the id is the one the operation is about, else the one on the command line; --env goes along', () => {
    expect(failed('mfa_required', { argv: 'connections refresh con_FDE_9 --wait --env=live' }).hint).toBe(
      'Let the user answer it: bankapi connections reauthorize con_FDE_123 --env live',
    )
    expect(refused('no_refreshable_accounts', 400).hint).toContain('connections reauthorize con_FDE_123')
  })

  it('account_locked_by_institution says that only the bank can help', () => {
    expect(failed('account_locked_by_institution').hint).toContain('contact the bank')
  })

  it('institution_unavailable says that nothing has to be done', () => {
    expect(failed('institution_unavailable')).toMatchObject({
      message: 'The bank of con_FDE_123 is unavailable',
      hint: expect.stringContaining('daily refresh'),
    })
  })
})

describe('a desktop app in the way', () => {
  it.each(['desktop_app_required', 'desktop_app_route_choice'])(
    '%s says that no budget was used, and to refresh again after the app was dealt with',
    (code) => {
      expect(failed(code)).toMatchObject({
        message: expect.stringMatching(/con_FDE_123.*no refresh budget was used/i),
        hint: expect.stringMatching(/desktop app.*bankapi connections refresh con_FDE_123 --wait$/),
      })
    },
  )

  it.each(['desktop_app_session_closed', 'pairing_code_invalid', 'desktop_service_unavailable'])(
    '%s says what to do with the app',
    (code) => {
      expect(failed(code).hint).toMatch(/desktop app|pairing/)
    },
  )

  it('pairing_rate_limited names the limits', () => {
    expect(refused('pairing_rate_limited', 429)).toMatchObject({
      hint: expect.stringContaining('10 tries per hour and 20 per day'),
      exit_code: 8,
    })
  })
})

describe('a refresh', () => {
  it('refresh_partially_failed shows the accounts that did not report as a table', () => {
    const accounts = [
      { id: 'acc_FDE_1', code: 'institution_unavailable', message: 'Bank is down' },
      { id: 'acc_FDE_2', code: 'credentials_invalid', message: 'Rejected' },
    ]
    const text = renderError(failed('refresh_partially_failed', { error: { accounts } }), {
      width: 120,
      paint: plainPaint,
      tty: true,
    })
    expect(text.split('\n').slice(0, 4)).toEqual([
      'Error: 2 accounts of con_FDE_123 did not report; the others have fresh data (refresh_partially_failed)',
      'ACCOUNT    CODE                     MESSAGE',
      'acc_FDE_1  institution_unavailable  Bank is down',
      'acc_FDE_2  credentials_invalid      Rejected',
    ])
    expect(text).toContain('bankapi connections reauthorize con_FDE_123')
  })

  it('refresh_timed_out says to refresh again, with the id', () => {
    expect(failed('refresh_timed_out').hint).toBe(
      'Again later: bankapi connections refresh con_FDE_123 --wait',
    )
  })

  it('refresh_outcome_not_observable says where new data would show', () => {
    expect(failed('refresh_outcome_not_observable').hint).toContain(
      'accounts list --client cli_demo --connection con_FDE_123',
    )
  })

  it('refresh_not_supported says to read what is there', () => {
    expect(refused('refresh_not_supported', 400).hint).toContain('bankapi accounts list --client cli_demo')
  })

  it('source_internal_error gives the diagnostic code for support', () => {
    expect(failed('source_internal_error', { error: { source_diagnostic_code: 'FDE-500' } })).toMatchObject({
      message: 'The source behind the bank failed with FDE-500',
      hint: expect.stringContaining('FDE-500 and the trace id'),
    })
  })

  it('rate_limit_exceeded of a refresh says that the bank was not asked; elsewhere, when to try again', () => {
    expect(refused('rate_limit_exceeded', 429).message).toContain('daily refresh budget')
    const elsewhere = { argv: 'checks list acc_FDE_9', operation: listChecks, retryAfterMs: 29_500 }
    expect(refused('rate_limit_exceeded', 429, elsewhere)).toMatchObject({
      message: 'Too many requests: the service wants a pause',
      hint: 'Try again in 30 s',
      exit_code: 8,
    })
  })
})

describe('a request that is wrong', () => {
  it('validation_failed keeps every problem and names the help of the command', () => {
    const errors = [{ param: 'url', message: 'must be https', code: 'invalid_url' }]
    const argv = 'webhooks create --url http://x'
    expect(refused('validation_failed', 400, { argv, error: { errors } })).toMatchObject({
      errors,
      hint: 'Correct the field named above: bankapi webhooks create --help',
      exit_code: 7,
    })
  })

  it('invalid_request about a cursor says to start again without it', () => {
    expect(refused('invalid_request', 400, { argv: 'clients list --cursor abc' }).hint).toContain('--cursor')
    expect(refused('invalid_request', 400, { argv: 'clients list' }).message).toBe(
      'In the words of the service.',
    )
  })

  it('not_found names the id, the environment and the list to look in', () => {
    expect(refused('not_found', 404, { argv: 'connections get con_FDE_9' })).toMatchObject({
      message: 'There is no con_FDE_9 for this customer in sandbox',
      hint: expect.stringMatching(/bankapi connections list --client cli_demo$/),
      exit_code: 5,
    })
  })

  it('idempotency_conflict names the flag', () => {
    expect(refused('idempotency_conflict', 409)).toMatchObject({
      hint: expect.stringContaining('--idempotency-key'),
      exit_code: 6,
    })
  })

  it('request_in_progress says when to ask again, with the same key', () => {
    expect(refused('request_in_progress', 409, { retryAfterMs: 1000 })).toMatchObject({
      hint: expect.stringMatching(/^Try again in 1 s with the same --idempotency-key/),
      exit_code: 6,
    })
  })

  it('length_required and payload_too_large say what to send', () => {
    expect(refused('length_required', 411).hint).toContain('Content-Length: 0')
    expect(refused('payload_too_large', 413).hint).toContain('30 MB')
  })
})

describe('every code', () => {
  it.each(Object.keys(errorCodes))('%s has its own sentence, its next step and the trace id', (code) => {
    const said = refused(code, 400)
    expect(said.hint).toMatch(/\S/)
    expect(said.trace_id).toBe('tr_1')
    if (said.message === 'In the words of the service.') {
      // The codes whose message only the service can know.
      expect(['validation_failed', 'invalid_request']).toContain(code)
    } else {
      expect(said.service_message).toBe('In the words of the service.')
    }
  })

  it.each(Object.keys(errorCodes))('%s reads well when nothing but the code is known', (code) => {
    const said = describeFailure(new OperationFailedError(operation({ error: { code, message: 'Said.' } })))
    expect(`${said.message} ${said.hint}`).not.toMatch(/undefined|null|NaN/)
  })

  it('no two have the same sentence', () => {
    const sentences = Object.keys(errorCodes)
      .map((code) => refused(code, 400).message)
      .filter((message) => message !== 'In the words of the service.')
    expect(new Set(sentences).size).toBe(sentences.length)
  })
})

describe('a code that this version does not know', () => {
  it('is said in the words of the service, with the code and the trace id', () => {
    expect(refused('quota_frozen', 403)).toMatchObject({
      code: 'quota_frozen',
      message: 'In the words of the service.',
      hint: 'If it stays, give support the code and the trace id',
      exit_code: 4,
    })
  })

  it('that its user can resolve names reauthorize', () => {
    expect(failed('consent_expired', { error: { is_user_actionable: true } }).hint).toBe(
      'The user can resolve it: bankapi connections reauthorize con_FDE_123',
    )
  })

  it('an error status without an explanation names doctor', () => {
    expect(refused('http_418', 418).hint).toContain('bankapi doctor')
  })
})

describe('what the command line names', () => {
  it('a file to write is not what was asked for', () => {
    const context: CommandContext = {
      command: 'statements download',
      flags: { 'output-file': 'stmt_march.pdf', client: 'cli_demo' },
      args: { id: 'stmt_FDE_missing' },
    }
    const failure = describeFailure(new FailedCommand(notFound(), context))
    expect(failure.message).toBe('There is no stmt_FDE_missing for this customer')
  })
})

describe('a bug', () => {
  const bug = new FailedCommand(new TypeError('x is not a function'), known)

  it('is a short report request with the version, without a stack', () => {
    const text = renderError(describeFailure(bug), { width: 200, paint: plainPaint, tty: true })
    expect(text).toBe(
      'Error: This is a bug in bankapi, nothing you did wrong: TypeError: x is not a function (unexpected)\n' +
        'Try: Run it again with --debug and report what it prints, together with: bankapi/1.0.0 linux-x64 node-v24.0.0\n',
    )
  })

  it('exits with 1', () => {
    expect(describeFailure(bug).exit_code).toBe(1)
  })
})
