import { describe, expect, it, vi } from 'vitest'
import { fakeApi, fakeClock } from '../../test/support/fake-api.ts'
import type { Reauthorization } from '../contract/connections.ts'
import { type LinkStore, reauthorize } from './reauthorize.ts'

const day = 86_400_000
const start = Date.UTC(2026, 0, 1)

function link(expiresIn: number, source: Reauthorization['source'] = 'AGGREGATOR_A'): Reauthorization {
  return {
    connection_id: 'con_AGGREGATOR_A_1',
    source,
    action: {
      kind: 'reauthorize',
      reauth_url: 'https://bank.example/r/1',
      expires_at: new Date(start + expiresIn).toISOString(),
    },
  }
}

function setup(
  stored: Reauthorization | undefined,
  minted = link(6 * day),
  connectionId = 'con_AGGREGATOR_A_1',
) {
  const call = vi.fn(async () => minted)
  const confirm = vi.fn(async () => {})
  let kept = stored
  const store: LinkStore = {
    get: async () => kept,
    set: async (_id, fresh) => {
      kept = fresh
    },
  }
  const context = {
    api: fakeApi({ connections: { reauthorize: call } }),
    clock: fakeClock(start),
    signal: new AbortController().signal,
  }
  const ask = (fresh = false) => reauthorize(context, store, { connectionId, fresh, confirm })
  return { call, confirm, ask, kept: () => kept }
}

describe('reauthorize', () => {
  it('returns the link minted before while it is valid, without asking and without a call', async () => {
    const { ask, call, confirm } = setup(link(1000))
    expect(await ask()).toMatchObject({ reused: true })
    expect(call).not.toHaveBeenCalled()
    expect(confirm).not.toHaveBeenCalled()
  })

  it('mints and remembers a link when the last one has expired', async () => {
    const { ask, call, kept } = setup(link(-1))
    expect(await ask()).toMatchObject({ reused: false })
    expect(call).toHaveBeenCalledOnce()
    expect(kept()).toEqual(link(6 * day))
  })

  it('mints another one when a fresh link is asked for', async () => {
    const { ask, call } = setup(link(day))
    await ask(true)
    expect(call).toHaveBeenCalledOnce()
  })

  it('mints nothing when the user does not agree', async () => {
    const { ask, call, confirm } = setup(undefined)
    confirm.mockRejectedValue(new Error('no'))
    await expect(ask()).rejects.toThrow('no')
    expect(call).not.toHaveBeenCalled()
  })

  it('says when the bank is served by another provider than the id names', async () => {
    expect(await setup(undefined, link(day, 'FDE')).ask()).toMatchObject({ movedTo: 'FDE' })
    expect(await setup(undefined).ask()).toMatchObject({ movedTo: undefined })
  })

  it.each([null, '', undefined])('a source %j says nothing about a move', async (source) => {
    const answer = { ...link(day), source: source as unknown as 'FDE' }
    expect(await setup(undefined, answer).ask()).toMatchObject({ movedTo: undefined })
  })

  it('a source may have any name: it is what the service says, not what can be cut out of the id', async () => {
    const answer = { ...link(day), source: 'NEW_SOURCE_C' as 'FDE' }
    expect(await setup(undefined, answer, 'con_NEW_SOURCE_C_9').ask()).toMatchObject({ movedTo: undefined })
    expect(await setup(undefined, answer, 'con_NEW_9').ask()).toMatchObject({ movedTo: 'NEW_SOURCE_C' })
  })
})
