/** A sentence and a next step for each error code of the reference, with the real ids filled in. */
import { errorCodes, type KnownErrorCode } from '../../contract/errors.ts'
import type { Facts } from './facts.ts'

export interface Advice {
  /** What happened; undefined where the service's own message is used. */
  readonly sentence?: string | undefined
  /** What to do or to run; a newline separates alternatives. */
  readonly next: string
}

const theConnection = ({ connection }: Facts) => connection ?? 'the Connection'
/** At the start of a sentence; an id is never changed. */
const aConnection = ({ connection }: Facts) => connection ?? 'The Connection'
const reauthorize = ({ connection, run }: Facts) =>
  run(`connections reauthorize ${connection ?? '<connection>'}`)
const refresh = ({ connection, run }: Facts) =>
  run(`connections refresh ${connection ?? '<connection>'} --wait`)
const pauseOf = (ms: number | undefined) =>
  ms === undefined ? 'Try again later' : `Try again in ${Math.ceil(ms / 1000)} s`

const advice: { readonly [Code in KnownErrorCode]: (facts: Facts) => Advice } = {
  unknown_api_key: ({ key, environment, run }) => ({
    sentence: `The service does not know the key ${key ?? 'in use'}: it is no active key${environment === undefined ? '' : ` of ${environment}`}`,
    next: `See where it comes from: ${run('whoami --offline')}\nStore another one: ${run('login')}`,
  }),
  insufficient_scope: ({ key, scope, run }) => {
    const lacking = scope ?? 'a scope that this request needs'
    const add = `keys rotate-scopes${scope?.endsWith(':api-keys') ? ' <its id>' : ''} --add ${scope ?? '<scope>'}`
    return {
      sentence: `The key ${key ?? 'in use'} lacks ${lacking}`,
      next: scope?.endsWith(':api-keys')
        ? `With a key that has write:api-keys: ${run(add)}`
        : `Add it: ${run(add)}\nIf this key may not change keys, use one with write:api-keys and give the id of this one`,
    }
  },
  live_key_not_allowed: ({ key }) => ({
    sentence: `The key ${key ?? 'in use'} is a live key, and this works in the sandbox only`,
    next: 'Choose the sandbox: --env sandbox, or a profile of its mode',
  }),
  not_found: (facts) => {
    const { subject, connection, client, environment, run } = facts
    const where = environment === undefined ? '' : ` in ${environment}`
    const list =
      subject?.startsWith('con_') || (subject === undefined && connection !== undefined)
        ? `\nWhat there is: ${run(`connections list --client ${client ?? '<client>'}`)}`
        : ''
    return {
      sentence: subject === undefined ? undefined : `There is no ${subject} for this customer${where}`,
      next: `Check the id, the Client and the environment: what belongs to another one reads as not found${list}`,
    }
  },
  validation_failed: ({ error: { errors = [] }, help, lacksFrom, run }) => {
    if (errors.length === 0) return { next: `Correct the input: ${help}` }
    if (errors.some(({ param }) => param === 'redirect_url')) {
      return {
        sentence: 'The service does not accept the redirect URL',
        next: `It has to be on the allowlist exactly: ${run('redirect-urls get')}\nAdd it: ${run('redirect-urls add https://…')}`,
      }
    }
    return {
      sentence: 'The service does not accept the input',
      next:
        lacksFrom && errors.some(({ param }) => param === 'from')
          ? `Give the start of the window, too, with --from: ${help}`
          : `Correct ${errors.length === 1 ? 'the field' : 'the fields'} named above: ${help}`,
    }
  },
  invalid_request: ({ usesCursor, help }) =>
    usesCursor
      ? {
          sentence: 'The service does not accept this cursor: it belongs to the exact query that made it',
          next: 'Start again without --cursor, or repeat every flag of the query that it came from',
        }
      : { next: `See what the command takes: ${help}` },
  idempotency_conflict: () => ({
    sentence: 'This idempotency key was used before, for a different request',
    next: 'Use another --idempotency-key, or repeat the first request exactly',
  }),
  request_in_progress: ({ retryAfterMs }) => ({
    sentence: 'The first request with this idempotency key is still running',
    next: `${pauseOf(retryAfterMs)} with the same --idempotency-key: its answer will be the same`,
  }),
  connection_deleted: (facts) => ({
    sentence: `${aConnection(facts)} was deleted, and there is no way back`,
    next: `Link the bank again: ${facts.run(`connections initiate --client ${facts.client ?? '<client>'}`)}`,
  }),
  rate_limit_exceeded: ({ operation, connection, retryAfterMs, run }) => {
    const pause = pauseOf(retryAfterMs)
    return operation === 'connections.refresh'
      ? {
          sentence: 'The request rate or the daily refresh budget is used up; the bank was not asked',
          next: `${pause}. How old the data is: ${run(`connections get ${connection ?? '<connection>'}`)}`,
        }
      : { sentence: 'Too many requests: the service wants a pause', next: pause }
  },
  length_required: () => ({
    sentence: 'The service wants to know the length of an empty body, and something on the way removed it',
    next: 'Send Content-Length: 0 with an empty POST; a proxy in between may be what drops it',
  }),
  payload_too_large: () => ({
    sentence: 'The body is larger than the service takes',
    next: 'Send a smaller one; a statement may have up to 30 MB',
  }),
  refresh_partially_failed: (facts) => {
    const count = facts.error.accounts?.length ?? 0
    const accounts = count === 0 ? 'Some accounts' : count === 1 ? 'One account' : `${count} accounts`
    return {
      sentence: `${accounts} of ${theConnection(facts)} did not report; the others have fresh data`,
      next: `Again later: ${refresh(facts)}\nIf it stays, let the user sign in again: ${reauthorize(facts)}`,
    }
  },
  refresh_timed_out: (facts) => ({
    sentence: `The bank did not answer in time: no account of ${theConnection(facts)} reported`,
    next: `Again later: ${refresh(facts)}`,
  }),
  refresh_outcome_not_observable: ({ connection, client, run }) => ({
    sentence: `Whether the refresh of ${connection ?? 'the Connection'} brought new data cannot be observed`,
    next: `See last_refreshed_at of its accounts: ${run(
      `accounts list --client ${client ?? '<client>'}${connection === undefined ? '' : ` --connection ${connection}`}`,
    )}`,
  }),
  no_refreshable_accounts: (facts) => ({
    sentence: `${aConnection(facts)} has no accounts that can be refreshed`,
    next: `Let the user share accounts again: ${reauthorize(facts)}`,
  }),
  refresh_not_supported: ({ connection, client, run }) => ({
    sentence: `The source of ${connection ?? 'the Connection'} takes no refresh: it delivers data by itself`,
    next: `Read what is there: ${run(`accounts list --client ${client ?? '<client>'}`)}`,
  }),
  credentials_invalid: (facts) => ({
    sentence: `The bank rejected the sign-in of ${theConnection(facts)}, or locked it out`,
    next: `Let the user sign in again: ${reauthorize(facts)}`,
  }),
  account_locked_by_institution: (facts) => ({
    sentence: `The bank has locked the account behind ${theConnection(facts)}`,
    next: 'Only the bank can unlock it: ask the user to contact the bank',
  }),
  institution_unavailable: (facts) => ({
    sentence: `The bank of ${theConnection(facts)} is unavailable`,
    next: 'Nothing to do here: the daily refresh tries again and reports when the bank is back',
  }),
  mfa_required: (facts) => ({
    sentence: `The bank of ${theConnection(facts)} asked the user a security question`,
    next: `Let the user answer it: ${reauthorize(facts)}`,
  }),
  source_internal_error: ({ error }) => {
    const diagnostic = error.source_diagnostic_code
    return {
      sentence: `The source behind the bank failed${diagnostic === undefined ? '' : ` with ${diagnostic}`}`,
      next: `Try again later. If it stays, give support ${diagnostic === undefined ? 'the trace id' : `${diagnostic} and the trace id`}`,
    }
  },
  desktop_app_required: (facts) => ({
    sentence: `${aConnection(facts)} is refreshed through the desktop app, which is not connected; no refresh budget was used`,
    next: `Open the desktop app on the computer it was paired with, then: ${refresh(facts)}`,
  }),
  desktop_app_route_choice: (facts) => ({
    sentence: `The refresh of ${theConnection(facts)} waits for a choice in the desktop app; no refresh budget was used`,
    next: `Choose in the desktop app whether this bank goes through it, then: ${refresh(facts)}`,
  }),
  firm_under_review: ({ run }) => ({
    sentence: 'No bank can be connected while the firm is under review',
    next: `How the review stands: ${run('portal access-request status --idp-user-id <id>')}`,
  }),
  pairing_code_invalid: () => ({
    sentence: 'The desktop app was paired with a wrong code',
    next: 'Start the pairing again and type the new code',
  }),
  desktop_app_session_closed: () => ({
    sentence: 'The desktop app closed its session while the bank was being linked',
    next: 'Open the desktop app, leave it open, and link the bank again',
  }),
  desktop_service_unavailable: () => ({
    sentence: 'The service behind the desktop app cannot be reached',
    next: 'Try again later; the desktop app itself need not be changed',
  }),
  pairing_rate_limited: () => ({
    sentence: 'Too many tries to pair the desktop app',
    next: 'Wait before the next one: 10 tries per hour and 20 per day',
  }),
}

/** The advice on a code; for one that this version does not know, a next step only. */
export function adviceOn(facts: Facts): Advice {
  const { code, is_user_actionable: actionable } = facts.error
  if (Object.hasOwn(errorCodes, code)) return advice[code as KnownErrorCode](facts)
  if (code.startsWith('http_')) {
    return {
      next: `Is the base URL the API's, ending in /v3? See how far a request gets: ${facts.run('doctor')}`,
    }
  }
  if (actionable && facts.connection !== undefined) {
    return { next: `The user can resolve it: ${reauthorize(facts)}` }
  }
  return { next: 'If it stays, give support the code and the trace id' }
}
