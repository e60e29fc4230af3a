import { expect, it, vi } from 'vitest'
import { fakeApi, fakeClock } from '../../test/support/fake-api.ts'
import type { Subscription } from '../contract/webhooks.ts'
import { findSubscription, setEventTypes, subscribe, unsubscribe } from './own-subscription.ts'

const subscription = (id: string, url: string, day = 1): Subscription => ({
  id,
  url,
  event_types: ['connection.active', 'statement.available'],
  status: 'active',
  created_at: `2026-01-0${day}T00:00:00Z`,
})

/** The calls of an Api whose list has these subscriptions, one on each page. */
function setup(...listed: Subscription[]) {
  const { signal } = new AbortController()
  const calls = {
    list: vi.fn(async ({ cursor = '0' }: { limit: number; cursor?: string }, _?: object) => ({
      data: listed.slice(Number(cursor), Number(cursor) + 1),
      has_more: Number(cursor) + 1 < listed.length,
      next_cursor: String(Number(cursor) + 1),
    })),
    create: vi.fn(async (_: object, __?: object) => subscription('whk_new', 'https://new.example/')),
    update: vi.fn(async (_: object, __?: object) => undefined),
    delete: vi.fn(async (_: object, __?: { signal: AbortSignal }) => undefined),
  }
  const context = { api: fakeApi({ webhooks: calls as never }), clock: fakeClock(), signal }
  return { context, calls, signal }
}

it('finds the subscription of an address on any page, however the address is written', async () => {
  const { context, calls, signal } = setup(
    subscription('whk_1', 'https://a.example/hook'),
    subscription('whk_2', 'not an address'),
    subscription('whk_3', 'HTTPS://B.example:443'),
  )
  expect((await findSubscription(context, 'https://b.example/'))?.id).toBe('whk_3')
  expect((await findSubscription(context, 'not an address'))?.id).toBe('whk_2')
  expect(await findSubscription(context, 'https://a.example/hook/')).toBeUndefined()
  expect(calls.list).toHaveBeenCalledWith({ limit: 500 }, { signal })
  expect(calls.list).toHaveBeenCalledWith({ limit: 500, cursor: '2' }, { signal })
})

it.each([
  [[1, 3, 2], 'whk_1'],
  [[3, 1, 2], 'whk_0'],
  [[1, 2, 2], 'whk_2'],
])('of several, created on days %j, takes the newest, and of the same age the last', async (days, id) => {
  const { context } = setup(...days.map((day, at) => subscription(`whk_${at}`, 'https://a.example/', day)))
  expect((await findSubscription(context, 'https://a.example/'))?.id).toBe(id)
})

it('subscribes an address to the types that are asked for', async () => {
  const { context, calls, signal } = setup()
  const onUnreadable = async () => {}
  const made = await subscribe(context, {
    url: 'https://a.example/',
    eventTypes: ['connection.active'],
    onUnreadable,
  })
  expect(made.id).toBe('whk_new')
  expect(calls.create).toHaveBeenCalledWith(
    { url: 'https://a.example/', event_types: ['connection.active'] },
    { signal, onUnreadable },
  )
})

it('changes the types, unless they are the same in any order', async () => {
  const { context, calls, signal } = setup()
  const before = subscription('whk_1', 'https://a.example/')
  await setEventTypes(context, before, ['statement.available', 'connection.active'])
  expect(calls.update).not.toHaveBeenCalled()
  for (const types of [
    ['connection.active'],
    ['connection.active', 'connection.failed'],
    ['connection.active', 'statement.available', 'connection.failed'],
  ] as const) {
    await setEventTypes(context, before, types)
    expect(calls.update).toHaveBeenLastCalledWith(
      { subscription_id: 'whk_1', event_types: types },
      { signal },
    )
  }
  expect(calls.update).toHaveBeenCalledTimes(3)
})

it('deletes it under a signal of its own: an interruption is the usual reason', async () => {
  const { context, calls, signal } = setup()
  await unsubscribe(context, 'whk_1')
  const [input, options] = calls.delete.mock.calls[0] ?? []
  expect(input).toEqual({ subscription_id: 'whk_1' })
  expect(options?.signal).toBeInstanceOf(AbortSignal)
  expect(options?.signal).not.toBe(signal)
})
