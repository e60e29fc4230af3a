import { describe, expect, test } from 'vitest'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

/** A little of everything; returns every answer's text and every event's body. */
async function story(emulator: TestEmulator): Promise<string[]> {
  const listener = await emulator.listen()
  const said: string[] = []
  const call = async (method: string, path: string, body?: unknown) => {
    const { text, json } = await emulator.call(method, path, { body })
    said.push(`${method} ${path} ${text}`)
    return json
  }
  await call('POST', '/clients', { name: 'One' })
  const { operation_id } = await call('POST', '/clients/cli_demo/connections', {
    institution_id: 'ins_b_flaky',
  })
  await emulator.advance(1000)
  const { result } = await call('GET', `/operations/${operation_id}`)
  const { connection_id } = emulator.link(result.connection.id)
  await call('POST', `/connections/${connection_id}/refresh`)
  await call('POST', '/api-keys', { scopes: ['read:clients'] })
  await emulator.advance(5 * 86_400_000)
  await call('GET', '/clients/cli_demo/connections')
  const { data } = await call('GET', '/accounts?client_id=cli_demo')
  for (const { id } of data) await call('GET', `/accounts/${id}/transactions?client_id=cli_demo&limit=500`)
  const events = listener.deliveries.map(({ event }) => JSON.stringify(event)).sort()
  // The ports differ from start to start.
  return [...said, ...events].map((line) => line.replaceAll(/127\.0\.0\.1:\d+/g, 'host'))
}

describe('determinism', () => {
  test('same seed and same calls: same ids and same data', async () => {
    const [one, other] = [await runningEmulator(), await runningEmulator()]
    expect(await story(other)).toEqual(await story(one))
    expect([other.sandbox.api_key, other.live.portal_secret]).toEqual([
      one.sandbox.api_key,
      one.live.portal_secret,
    ])
  })

  test('another seed: other ids; after a reset the same story again', async () => {
    const [one, other] = [await runningEmulator({ seed: 1 }), await runningEmulator({ seed: 2 })]
    const first = await story(one)
    expect((await story(other))[0]).not.toBe(first[0])
    await one.reset()
    expect(await story(one)).toEqual(first)
  })
})

describe('the clock', () => {
  test('advancing at once or in steps leads to the same state', async () => {
    const [leap, steps] = [await runningEmulator(), await runningEmulator()]
    await leap.advance(3 * 86_400_000)
    for (let hour = 0; hour < 72; hour += 1) await steps.advance(3_600_000)
    expect(await steps.accounts()).toEqual(await leap.accounts())
  })

  test('real time passes too: what falls due runs by itself', async () => {
    const emulator = await runningEmulator({ realTime: true, refreshDurationMs: 100, firstSignalMs: 50 })
    const listener = await emulator.listen(['account.refresh.completed', 'connection.requires_action'])
    await emulator.post('/connections/con_FDE_123/refresh')
    await emulator.post('/clients/cli_demo/connections', { institution_id: 'ins_a_ok' })
    await expect.poll(() => new Set(listener.types()).size, { timeout: 5000 }).toBe(2)
  })
})
