/** `bankapi/emulator` in the words of its callers: what of it is more than the emulator's own controls. */
import { expect, onTestFinished, test } from 'vitest'
import { type Emulator, type StartOptions, startEmulator } from '../../src/emulator.ts'

const account = 'acc_AGGREGATOR_A_100101'

async function started(options: StartOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ frozenAt: '2026-03-10T12:00:00.000Z', ...options })
  onTestFinished(() => emulator.stop())
  return emulator
}

const read = (emulator: Emulator, path: string) =>
  fetch(`${emulator.baseUrl}${path}`, { headers: { Authorization: `Bearer ${emulator.apiKey}` } })

const list = `/accounts/${account}/transactions?client_id=cli_demo&limit=500`

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
async function rows(emulator: Emulator): Promise<any[]> {
  return ((await (await read(emulator, list)).json()) as { data: unknown[] }).data
}

test('a gap and an overlap are durations', async () => {
  const emulator = await started()
  const bank = emulator.bank(account)
  const held = bank.record({ amount: -40, pending: true })
  const early = bank.reissue(held, { overlap: '2h' })
  const late = bank.reissue(bank.record({ amount: -41, pending: true }), { gap: '1h30m' })
  const there = async () => (await rows(emulator)).map(({ id }) => id)
  expect(await there()).toEqual(expect.arrayContaining([held, early]))
  expect(await there()).not.toContain(late)
  await emulator.advance('2h')
  expect(await there()).toEqual(expect.arrayContaining([early, late]))
  expect(await there()).not.toContain(held)
})

test('a transaction that is edited, settled or restored keeps its place when told so', async () => {
  const emulator = await started()
  const bank = emulator.bank(account)
  const held = bank.record({ amount: -40, pending: true })
  bank.record({ amount: -1 })
  const before = (await rows(emulator)).map(({ id }) => id)
  bank.settle(held, { keepsPlace: true })
  bank.edit(before[5], { description: 'OTHER', keepsPlace: true })
  bank.retract(before[7])
  bank.restore(before[7], { keepsPlace: true })
  expect((await rows(emulator)).map(({ id }) => id)).toEqual(before)
  bank.edit(before[5], { description: 'AGAIN' })
  expect((await rows(emulator))[0].description).toBe('AGAIN')
})

test('a bank is linked again; the old Connection keeps its status when told so', async () => {
  const emulator = await started()
  const status = async (id: string) =>
    ((await (await read(emulator, `/connections/${id}`)).json()) as { status: string }).status
  const added = emulator.relink('con_AGGREGATOR_A_1001', { days: 30, keepOld: true })
  expect([await status(added), await status('con_AGGREGATOR_A_1001')]).toEqual(['active', 'active'])
  emulator.relink('con_FDE_123')
  expect(await status('con_FDE_123')).toBe('disconnected')
})

test('a trigger is checked', async () => {
  const emulator = await started()
  emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
  expect(await (await read(emulator, '/connections/con_FDE_123')).json()).toMatchObject({ status: 'failed' })
  expect(() => emulator.trigger({ type: 'nonsense' })).toThrow()
})

test('faults, latency and cursors', async () => {
  const emulator = await started({ latency: '60ms' })
  const answer = async (path = '/institutions?limit=2') => {
    const response = await read(emulator, path)
    return { response, body: (await response.json()) as { next_cursor: string } }
  }
  const begun = performance.now()
  const { body } = await answer()
  expect(performance.now() - begun).toBeGreaterThan(55)
  const next = `/institutions?limit=2&cursor=${body.next_cursor}`
  let met = 0
  emulator.faults.add({ pattern: 'GET /institutions', status: 429, retryAfter: 3, times: 1 })
  emulator.faults.add({ pattern: 'GET /institutions', refuseCursor: true, times: 1, meanwhile: () => met++ })
  const limited = await answer()
  expect([limited.response.status, limited.response.headers.get('retry-after')]).toEqual([429, '3'])
  expect((await answer(next)).response.status).toBe(400)
  expect(met).toBe(1)
  expect((await answer(next)).response.status).toBe(200)
  emulator.refuseCursors()
  expect((await answer(next)).response.status).toBe(400)
  emulator.faults.add({ pattern: 'GET /institutions', status: 503 })
  emulator.faults.clear()
  const late = performance.now()
  emulator.faults.add({ pattern: 'GET /institutions', delay: '100ms' })
  expect((await answer()).response.status).toBe(200)
  expect(performance.now() - late).toBeGreaterThan(155)
})

test('a crowd of Clients', async () => {
  const emulator = await started({ crowd: { clients: 3, accounts: 2, transactions: 5 } })
  const path = '/accounts?client_id=cli_crowd_000003'
  const { data } = (await (await read(emulator, path)).json()) as { data: unknown[] }
  expect(data).toHaveLength(2)
})
