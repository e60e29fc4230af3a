import { describe, expect, it } from 'vitest'
import type { Account } from '../contract/accounts.ts'
import type { Connection } from '../contract/connections.ts'
import type { ApiError } from '../contract/errors.ts'
import { type ClientConnections, isUserRepairable, judge, triage } from './triage.ts'

const now = Date.parse('2026-03-10T12:00:00Z')
const hours = (count: number) => new Date(now - count * 3_600_000).toISOString()

function connection(changes: Partial<Connection> = {}): Connection {
  return {
    id: 'con_FDE_1',
    client_id: 'cli_1',
    source: 'FDE',
    status: 'active',
    created_at: hours(1000),
    updated_at: hours(5),
    last_refreshed_at: hours(1),
    institution: { id: 'ins_1', name: 'A Bank' },
    ...changes,
  }
}

function account(refreshed: string | null, changes: Partial<Account> = {}): Account {
  return {
    id: 'acc_FDE_1',
    source: 'FDE',
    type: 'checking',
    subtype: 'checking',
    iso_currency_code: 'USD',
    connection_id: 'con_FDE_1',
    last_refreshed_at: refreshed,
    created_at: hours(1000),
    ...changes,
  }
}

const command = (...words: readonly string[]) => ['bankapi', ...words].join(' ')
const stale = { now, afterMs: 48 * 3_600_000 }
const error = (code: string, more: Partial<ApiError> = {}): ApiError => ({ code, message: 'said', ...more })
const found = (changes: Partial<Connection>, accounts?: readonly Account[]) =>
  judge(connection(changes), { command, stale, accounts })

describe('what a Connection needs', () => {
  it('an active one with fresh accounts needs nobody', () => {
    expect(found({}, [account(hours(47))])).toBeUndefined()
  })

  it.each([
    ['requires_action', undefined, 'user', 'reauthorize con_FDE_1'],
    ['requires_action', 'credentials_invalid', 'user', 'reauthorize con_FDE_1'],
    ['requires_action', 'mfa_required', 'user', 'reauthorize con_FDE_1'],
    ['requires_action', 'account_locked_by_institution', 'bank', 'get con_FDE_1'],
    ['requires_action', 'desktop_app_required', 'user', 'refresh con_FDE_1 --wait'],
    ['failed', undefined, 'service', 'get con_FDE_1 --jq .last_error'],
    ['failed', 'institution_unavailable', 'bank', 'get con_FDE_1'],
    ['failed', 'source_internal_error', 'service', 'get con_FDE_1 --jq .last_error'],
    ['failed', 'refresh_timed_out', 'bank', 'refresh con_FDE_1 --wait'],
    ['disconnected', undefined, 'user', 'initiate --client cli_1 --institution ins_1 --until-active'],
    ['disconnected', 'mfa_required', 'user', 'initiate --client cli_1 --institution ins_1 --until-active'],
  ] as const)('%s with %s: the %s acts, next %s', (status, code, who, words) => {
    const judgement = found({ status, ...(code === undefined ? {} : { last_error: error(code) }) })
    expect(judgement).toMatchObject({
      who_can_act: who,
      next: `bankapi connections ${words}`,
      code: code ?? null,
      since: hours(5),
    })
  })

  it('a code that is not known here: the service says whether the user can act', () => {
    const failed = (actionable: boolean) =>
      found({ status: 'requires_action', last_error: error('new', { is_user_actionable: actionable }) })
    expect(failed(true)).toMatchObject({ who_can_act: 'user', reason: 'said' })
    expect(failed(false)).toMatchObject({
      who_can_act: 'service',
      next: 'bankapi connections get con_FDE_1 --jq .last_error',
    })
  })

  it('a status that is not known here is not passed over', () => {
    expect(found({ status: 'paused' as 'active' })).toMatchObject({ who_can_act: 'us' })
  })

  it('names the code of the source', () => {
    const last_error = error('source_internal_error', { source_diagnostic_code: 'FDE-7' })
    expect(found({ status: 'failed', last_error })?.reason).toContain('(FDE-7)')
  })

  it('an account without fresh data for longer than the limit is stale, since its last data; one never refreshed since it was made', () => {
    expect(found({}, [account(hours(49)), account(hours(1), { id: 'acc_FDE_2' })])).toMatchObject({
      stale_accounts: ['acc_FDE_1'],
      since: hours(49),
      who_can_act: 'us',
      reason: 'no fresh data of 1 of 2 accounts',
      next: 'bankapi connections refresh con_FDE_1 --wait',
    })
    expect(found({}, [account(null)])?.stale_accounts).toEqual(['acc_FDE_1'])
    expect(found({}, [account(null, { created_at: hours(2) })])).toBeUndefined()
  })

  it('with a desktop app only its user can bring fresh data', () => {
    expect(found({ requires_desktop_app: true }, [account(hours(49))])).toMatchObject({ who_can_act: 'user' })
  })

  it('a capability that fails is named, with its error', () => {
    const balance = { status: 'failed' as const, last_error: error('institution_unavailable') }
    expect(found({ realized_capabilities: { balance } })).toMatchObject({
      reason: 'the bank does not give balance: the bank is unavailable: the daily refresh tries again',
      code: 'institution_unavailable',
      next: 'bankapi connections refresh con_FDE_1 --wait',
    })
  })

  it('an id stays one word of the command, which the caller quotes', () => {
    const broken = connection({
      id: "con_FDE_$(x)'",
      status: 'failed',
      last_error: error('institution_unavailable'),
    })
    const judgement = judge(broken, { command: (...words) => words.join('|') })
    expect(judgement?.next).toBe("connections|get|con_FDE_$(x)'")
  })

  it('only one that waits for its user, and not for a desktop app or the bank, can be repaired with a link', () => {
    const repairable = (changes: Partial<Connection>) => isUserRepairable(connection(changes))
    expect(repairable({ status: 'requires_action' })).toBe(true)
    expect(repairable({ status: 'requires_action', last_error: error('mfa_required') })).toBe(true)
    expect(
      repairable({ status: 'requires_action', last_error: error('account_locked_by_institution') }),
    ).toBe(false)
    expect(repairable({ status: 'requires_action', last_error: error('desktop_app_required') })).toBe(false)
    expect(repairable({ status: 'disconnected' })).toBe(false)
    expect(repairable({})).toBe(false)
  })
})

describe('triage', () => {
  const all = async (...clients: Partial<ClientConnections>[]) => {
    async function* source(): AsyncGenerator<ClientConnections> {
      for (const one of clients)
        yield {
          client: { id: 'cli_1', external_id: 'user-1' },
          connections: [],
          accounts: undefined,
          now,
          ...one,
        }
    }
    return triage(source(), { staleAfterMs: stale.afterMs, command })
  }

  it('the worst come first, the older before the newer', async () => {
    const { data, checked } = await all(
      {
        connections: [
          connection({ id: 'con_FDE_1', status: 'failed' }),
          connection({ id: 'con_FDE_2', status: 'requires_action', updated_at: hours(3) }),
          connection({ id: 'con_FDE_3' }),
        ],
      },
      {
        client: { id: 'cli_2' },
        connections: [
          connection({ id: 'con_FDE_4', status: 'requires_action', updated_at: hours(4) }),
          connection({ id: 'con_FDE_5', status: 'disconnected', updated_at: hours(1) }),
          connection({ id: 'con_FDE_6' }),
        ],
        accounts: [account(hours(60), { connection_id: 'con_FDE_6' })],
      },
    )
    expect(data.map(({ connection_id }) => connection_id)).toEqual([
      'con_FDE_5',
      'con_FDE_4',
      'con_FDE_2',
      'con_FDE_1',
      'con_FDE_6',
    ])
    expect(checked).toBe(6)
    expect(data[2]).toMatchObject({
      client_id: 'cli_1',
      client_external_id: 'user-1',
      institution_name: 'A Bank',
    })
  })

  it('a disconnected one whose bank was linked again afterwards is left out; one linked before is not', async () => {
    const disconnected = connection({ id: 'con_FDE_1', status: 'disconnected', updated_at: hours(5) })
    const other = (created_at: string, institution = 'ins_1') =>
      connection({ id: 'con_FDE_2', created_at, institution: { id: institution, name: 'B' } })
    expect(await all({ connections: [disconnected, other(hours(4))] })).toMatchObject({
      data: [],
      linked_again: ['con_FDE_1'],
    })
    expect((await all({ connections: [disconnected, other(hours(6))] })).data).toHaveLength(1)
    expect((await all({ connections: [disconnected, other(hours(4), 'ins_2')] })).data).toHaveLength(1)
  })

  it('without the accounts none is stale', async () => {
    expect((await all({ connections: [connection()] })).data).toEqual([])
  })
})
