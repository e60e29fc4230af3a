/** Judges which Connections need somebody: since when, why, who can act, and the next command. */
import type { Account } from '../contract/accounts.ts'
import type { Client } from '../contract/clients.ts'
import type { Connection } from '../contract/connections.ts'
import type { ApiError, KnownErrorCode } from '../contract/errors.ts'

/** An account without fresh data for longer is stale, unless somebody says otherwise. */
export const STALE_AFTER_MS = 48 * 3_600_000

/** `us`: whoever runs this program. */
export const actors = ['user', 'bank', 'service', 'us'] as const
export type Actor = (typeof actors)[number]

export interface Judgement {
  /** Since when it is so, as far as the service says; null where it does not. */
  readonly since: string | null
  /** The code of the error behind it. */
  readonly code: string | null
  readonly reason: string
  readonly who_can_act: Actor
  /** Accounts without fresh data for too long. */
  readonly stale_accounts: readonly string[]
  /** The command to run next. */
  readonly next: string
}

export interface JudgeOptions {
  /** Its accounts; without them none is known to be stale. */
  readonly accounts?: readonly Account[] | undefined
  /** Unix ms, by the clock of the service: an account that was last refreshed longer before it than this is stale. */
  readonly stale?: { readonly now: number; readonly afterMs: number }
  /** When it took its status; its `updated_at` otherwise. */
  readonly since?: string | undefined
  /** Makes a command of words, to be pasted into a shell: adds the program, and the environment. */
  readonly command: (...words: readonly string[]) => string
}

/**
 * What a Connection needs next. `look`: somebody else has to act, and reading it again says whether they did. `support`: the
 * error with its trace id is for the support of the service.
 */
type Next = 'reauthorize' | 'refresh' | 'relink' | 'look' | 'support'

interface Cause {
  readonly who: Actor
  readonly reason: string
  readonly next: Next
}

/** Codes that keep a Connection from working. */
const causes: Partial<Record<KnownErrorCode, Cause>> = {
  credentials_invalid: {
    who: 'user',
    reason: 'the bank rejected the sign-in, or locked it out',
    next: 'reauthorize',
  },
  mfa_required: { who: 'user', reason: 'the bank asked a security question', next: 'reauthorize' },
  no_refreshable_accounts: {
    who: 'user',
    reason: 'no account is shared that can be refreshed',
    next: 'reauthorize',
  },
  account_locked_by_institution: {
    who: 'bank',
    reason: 'the bank locked the account: the user has to contact the bank',
    next: 'look',
  },
  institution_unavailable: {
    who: 'bank',
    reason: 'the bank is unavailable: the daily refresh tries again',
    next: 'look',
  },
  refresh_timed_out: { who: 'bank', reason: 'the bank did not answer in time', next: 'refresh' },
  refresh_partially_failed: { who: 'bank', reason: 'an account did not report', next: 'refresh' },
  source_internal_error: { who: 'service', reason: 'the source behind the bank failed', next: 'support' },
  desktop_service_unavailable: {
    who: 'service',
    reason: 'the service behind the desktop app cannot be reached',
    next: 'refresh',
  },
  desktop_app_required: { who: 'user', reason: 'the desktop app is not open and connected', next: 'refresh' },
  desktop_app_route_choice: { who: 'user', reason: 'a choice waits in the desktop app', next: 'refresh' },
}

function causeOf(error: ApiError, otherwise: Cause): Cause {
  const known = Object.hasOwn(causes, error.code) ? causes[error.code as KnownErrorCode] : undefined
  const diagnostic = error.source_diagnostic_code === undefined ? '' : ` (${error.source_diagnostic_code})`
  if (known !== undefined) return { ...known, reason: `${known.reason}${diagnostic}` }
  const reason = `${error.message}${diagnostic}`
  if (error.is_user_actionable === true) return { who: 'user', reason, next: 'reauthorize' }
  if (error.is_user_actionable === false && otherwise.who === 'user')
    return { who: 'service', reason, next: 'support' }
  return { ...otherwise, reason }
}

/** What a status without an error says, and the error's cause where there is one. */
function causeOfStatus({ status, last_error }: Connection): Cause | undefined {
  const error = last_error ?? undefined
  const withError = (otherwise: Cause) => (error === undefined ? otherwise : causeOf(error, otherwise))
  switch (status) {
    case 'active':
      return undefined
    case 'disconnected': {
      const access: Cause = {
        who: 'user',
        reason: 'access ended: the source stopped, or the Connection was deleted',
        next: 'relink',
      }
      // Only a new link brings data again, whoever was the reason.
      return error === undefined
        ? access
        : { ...access, reason: `access ended: ${causeOf(error, access).reason}` }
    }
    case 'requires_action':
    case 'initiated':
      return withError({ who: 'user', reason: 'the user has to sign in', next: 'reauthorize' })
    case 'failed':
      return withError({ who: 'service', reason: 'the bank or the source does not work', next: 'support' })
    default:
      return withError({ who: 'us', reason: `the status ${String(status)} is not known here`, next: 'look' })
  }
}

/** What is missing of a Connection that is active. */
function causeOfActive(
  connection: Connection,
  stale: readonly Account[],
  accounts: number,
): Cause | undefined {
  const failed = Object.entries(connection.realized_capabilities ?? {}).filter(
    ([, observed]) => observed?.status === 'failed',
  )
  const again: Cause = { who: 'us', reason: '', next: 'refresh' }
  if (stale.length > 0) {
    const reason = `no fresh data of ${stale.length} of ${accounts} account${accounts === 1 ? '' : 's'}`
    if (connection.requires_desktop_app === true)
      return { who: 'user', reason: `${reason}: the desktop app has to be open`, next: 'refresh' }
    if (connection.last_error) {
      const cause = causeOf(connection.last_error, again)
      return { ...cause, reason: `${reason}: ${cause.reason}` }
    }
    return { ...again, reason }
  }
  if (failed.length === 0) return undefined
  const reason = `the bank does not give ${failed.map(([name]) => name).join(', ')}`
  const error = failed.map(([, observed]) => observed?.last_error).find((found) => found !== undefined)
  const cause = error === undefined ? again : causeOf(error, again)
  // A refresh observes it again.
  const next = cause.next === 'look' || cause.next === 'support' ? 'refresh' : cause.next
  return { ...cause, next, reason: error === undefined ? reason : `${reason}: ${cause.reason}` }
}

/** What a Connection needs; undefined for one that works. */
export function judge(connection: Connection, options: JudgeOptions): Judgement | undefined {
  const { accounts = [], stale: limit } = options
  const stale = accounts.filter(({ last_refreshed_at: refreshed, created_at: created }) => {
    const at = Date.parse(refreshed ?? created ?? '')
    return limit !== undefined && !Number.isNaN(at) && limit.now - at > limit.afterMs
  })
  const broken = causeOfStatus(connection)
  const cause = broken ?? causeOfActive(connection, stale, accounts.length)
  if (cause === undefined) return undefined
  const oldest = stale.map(({ last_refreshed_at }) => last_refreshed_at ?? '').toSorted()[0]
  const code = broken
    ? connection.last_error?.code
    : (connection.last_error?.code ?? (stale.length > 0 ? undefined : capabilityCode(connection)))
  return {
    since:
      (broken ? (options.since ?? connection.updated_at) : oldest || capabilitySince(connection)) ?? null,
    code: code ?? null,
    reason: cause.reason,
    who_can_act: cause.who,
    stale_accounts: stale.map(({ id }) => id),
    next: options.command(...words(connection, cause.next)),
  }
}

function failedCapability({ realized_capabilities: realized = {} }: Connection) {
  return Object.values(realized).find((observed) => observed?.status === 'failed')
}

function capabilityCode(connection: Connection): string | undefined {
  return failedCapability(connection)?.last_error?.code
}

function capabilitySince(connection: Connection): string | undefined {
  return failedCapability(connection)?.last_success_at
}

function words({ id, client_id, institution }: Connection, next: Next): string[] {
  switch (next) {
    case 'reauthorize':
      return ['connections', 'reauthorize', id]
    case 'refresh':
      return ['connections', 'refresh', id, '--wait']
    case 'relink':
      return [
        ...['connections', 'initiate', '--client', client_id ?? ''],
        ...['--institution', institution?.id ?? '', '--until-active'],
      ]
    case 'support':
      return ['connections', 'get', id, '--jq', '.last_error']
    case 'look':
      return ['connections', 'get', id]
  }
}

/** Whether its user can repair it with a reauthorize link. */
export function isUserRepairable(connection: Connection): boolean {
  return connection.status === 'requires_action' && causeOfStatus(connection)?.next === 'reauthorize'
}

/** One Client's Connections, with what else is known of them. */
export interface ClientConnections {
  readonly client: Pick<Client, 'id' | 'external_id'>
  readonly connections: readonly Connection[]
  /** Undefined where they cannot be read. */
  readonly accounts: readonly Account[] | undefined
  /** Unix ms, by the clock of the service: when this was read. */
  readonly now: number
  /** When Connections took their status, where it is known better than from `updated_at`. */
  readonly since?: ReadonlyMap<string, string>
}

export interface TriageRow extends Judgement {
  readonly connection_id: string
  readonly client_id: string
  readonly client_external_id: string | null
  readonly institution_name: string | null
  readonly source: string
  readonly status: string
}

export interface Triage {
  /** The worst first. */
  readonly data: readonly TriageRow[]
  /** Connections looked at. */
  readonly checked: number
  /** Disconnected ones whose bank the Client has linked again since: left out. */
  readonly linked_again: readonly string[]
}

/** Connections of all Clients that need somebody. */
export async function triage(
  source: AsyncIterable<ClientConnections>,
  options: Pick<JudgeOptions, 'command'> & { readonly staleAfterMs: number },
): Promise<Triage> {
  const data: TriageRow[] = []
  const linkedAgain: string[] = []
  let checked = 0
  for await (const found of source) {
    const { client, connections, accounts, now } = found
    checked += connections.length
    for (const connection of connections) {
      if (isLinkedAgain(connection, connections)) {
        linkedAgain.push(connection.id)
        continue
      }
      const judgement = judge(connection, {
        command: options.command,
        stale: { now, afterMs: options.staleAfterMs },
        accounts: accounts?.filter(({ connection_id }) => connection_id === connection.id),
        since: found.since?.get(connection.id),
      })
      if (judgement === undefined) continue
      data.push({
        connection_id: connection.id,
        client_id: client.id,
        client_external_id: client.external_id ?? null,
        institution_name: connection.institution?.name ?? null,
        source: connection.source,
        status: connection.status,
        ...judgement,
      })
    }
  }
  return { data: data.toSorted(worstFirst), checked, linked_again: linkedAgain }
}

/** A link made after access had ended replaces the Connection: it stays in the list for ever, and needs nobody. */
function isLinkedAgain(connection: Connection, all: readonly Connection[]): boolean {
  return (
    connection.status === 'disconnected' &&
    all.some(
      (other) =>
        other.id !== connection.id &&
        other.status !== 'disconnected' &&
        other.institution?.id === connection.institution?.id &&
        Date.parse(other.created_at) >= Date.parse(connection.updated_at),
    )
  )
}

/** Without access before those that wait for their user, before those that may recover, before those that lack something. */
const ranks: Readonly<Record<string, number>> = { disconnected: 0, requires_action: 1, failed: 2, active: 4 }

function worstFirst(one: TriageRow, other: TriageRow): number {
  const rank = ({ status }: TriageRow) => ranks[status] ?? 3
  const since = (row: TriageRow) => row.since ?? ''
  if (rank(one) !== rank(other)) return rank(one) - rank(other)
  return since(one) < since(other) ? -1 : since(one) > since(other) ? 1 : 0
}
