import { expect, test } from 'vitest'
import { forEachStore } from '../../test/support/inbox-stores.ts'
import { testInbox } from '../../test/support/test-inbox.ts'

const { open } = testInbox()

test('an operation of which little is known is queued since it was first seen', async () => {
  const { operations } = open()
  await operations.record({ environment: 'local', id: 'op_1', seenAt: 1000 })
  expect(await operations.get('local', 'op_1')).toEqual({
    environment: 'local',
    id: 'op_1',
    type: undefined,
    subject: undefined,
    status: 'queued',
    startedAt: 1000,
    estimatedSeconds: undefined,
    seenAt: 1000,
    completedAt: undefined,
  })
})

test('its start is replaced when it becomes known, its status by a later one, but never by queued', async () => {
  const { operations } = open()
  const seen = { environment: 'local', id: 'op_1' }
  await operations.record({ ...seen, seenAt: 2000 })
  await operations.record({ ...seen, seenAt: 3000, status: 'running', startedAt: 1500 })
  await operations.record({ ...seen, seenAt: 2500, status: 'queued' })
  expect(await operations.get('local', 'op_1')).toMatchObject({
    status: 'running',
    startedAt: 1500,
    seenAt: 3000,
  })
  await operations.record({ ...seen, seenAt: 4000, status: 'failed', completedAt: 3900 })
  expect(await operations.get('local', 'op_1')).toMatchObject({ status: 'failed', completedAt: 3900 })
})

test('operations are listed newest first, up to a limit, of one environment or status', async () => {
  const { operations } = open()
  for (const [id, startedAt, environment] of [
    ['op_1', 1, 'live'],
    ['op_2', 3, 'local'],
    ['op_3', 2, 'local'],
    ['op_4', 3, 'local'],
  ] as const) {
    await operations.record({
      environment,
      id,
      seenAt: 10,
      startedAt,
      status: id === 'op_3' ? 'failed' : 'running',
    })
  }
  const listed = async (filter?: Parameters<typeof operations.list>[0]) =>
    (await operations.list(filter)).map(({ id }) => id)
  expect(await listed()).toEqual(['op_4', 'op_2', 'op_3', 'op_1'])
  expect(await listed({ limit: 2 })).toEqual(['op_4', 'op_2'])
  expect(await listed({ environment: 'live' })).toEqual(['op_1'])
  expect(await listed({ status: 'failed' })).toEqual(['op_3'])
})

forEachStore((store) => {
  test('those on erased Connections and Clients are deleted, in their environment', async () => {
    const { operations } = await store.open()
    const known = { environment: 'local', seenAt: 1000 }
    await operations.record({ ...known, id: 'op_1', subject: 'con_1' })
    await operations.record({ ...known, id: 'op_2', subject: 'cli_1' })
    await operations.record({ ...known, id: 'op_3', subject: 'con_2' })
    await operations.record({ ...known, id: 'op_4' })
    await operations.record({ ...known, id: 'op_5', environment: 'sandbox', subject: 'con_1' })
    await operations.erase('local', new Set(['con_1', 'cli_1']))
    expect((await operations.list()).map(({ id }) => id).toSorted()).toEqual(['op_3', 'op_4', 'op_5'])
  })
})
