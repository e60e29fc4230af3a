import { expect, test, vi } from 'vitest'
import type { ListenerEvent, ReceivedDelivery } from './events.ts'
import { holdUnexplained } from './hold-unexplained.ts'

const refused = (id: number, over: Partial<ReceivedDelivery> = {}): ReceivedDelivery => ({
  id,
  receivedAt: 1,
  eventId: `evt_${id}`,
  type: 'webhook.test',
  livemode: false,
  subject: undefined,
  shape: 'event',
  event: undefined,
  verified: false,
  reason: 'signature_mismatch',
  detail: 'as found first',
  duplicate: false,
  filtered: false,
  ...over,
})

function holder(batch: (write: () => unknown) => Promise<never> = async (write) => write() as never) {
  const told: string[] = []
  const stored: unknown[][] = []
  const errors: Error[] = []
  const held = holdUnexplained({
    inbox: { deliveries: { explain: (...row: unknown[]) => void stored.push(row) }, batch } as never,
    emit: (event) =>
      told.push(
        'delivery' in event ? `${event.kind} ${event.delivery.id} ${event.delivery.detail}` : event.kind,
      ),
    onError: (error) => errors.push(error),
  })
  const emit = (kind: 'delivery' | 'settled', delivery: ReceivedDelivery) =>
    held.emit({ kind, at: 1, delivery, forward: undefined, answered: 401 } as ListenerEvent)
  return { held, told, stored, errors, emit }
}

test('the events of a refused delivery wait for its explanation, which is stored; others do not', async () => {
  const { held, told, stored, emit } = holder()
  const { promise, resolve } = Promise.withResolvers<string>()
  const delivery = refused(1, { explain: () => promise })
  emit('delivery', delivery)
  emit('settled', delivery)
  emit('delivery', refused(2))
  emit('settled', refused(2))
  held.emit({ kind: 'closed', at: 1, forced: false })
  expect(told).toEqual(['delivery 2 as found first', 'settled 2 as found first', 'closed'])
  let released = false
  const release = held.released().then(() => (released = true))
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(released).toBe(false)
  resolve('the live secret')
  await release
  expect(told.slice(3)).toEqual(['delivery 1 the live secret', 'settled 1 the live secret'])
  expect(stored).toEqual([[1, 'signature_mismatch', 'the live secret']])
  emit('settled', delivery)
  expect(told.at(-1)).toBe('settled 1 as found first')
})

test('without an explanation in time the first detail stands, and nothing is stored', async () => {
  const { held, told, stored, emit } = holder()
  emit('delivery', refused(1, { explain: async () => undefined }))
  await held.released()
  expect(told).toEqual(['delivery 1 as found first'])
  expect(stored).toEqual([])
})

test('an explanation that cannot be stored is told all the same, and the trouble is reported', async () => {
  const { held, told, errors, emit } = holder(async () => Promise.reject(new Error('full')))
  emit('delivery', refused(1, { explain: async () => 'cut' }))
  await held.released()
  expect(told).toEqual(['delivery 1 cut'])
  expect(errors).toMatchObject([{ message: 'full' }])
})

test('with nothing held it is released at once', async () => {
  const { held } = holder()
  await held.released()
})

test('who waits for an explanation does not keep the event loop busy', async () => {
  const { held, emit } = holder()
  const { promise, resolve } = Promise.withResolvers<undefined>()
  emit('delivery', refused(1, { explain: () => promise }))
  const immediates = vi.spyOn(globalThis, 'setImmediate')
  const release = held.released()
  for (let turn = 0; turn < 20; turn++) await new Promise((next) => setTimeout(next, 0))
  expect(immediates.mock.calls.length).toBeLessThan(5)
  immediates.mockRestore()
  resolve(undefined)
  await release
})
