import { describe, expect, test } from 'vitest'
import { requestTemplates } from '../support/request-templates.ts'
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
    const [one, other] = [await runningEmulator({ seed: 1 }), await runningEmulator({ seed: 1 })]
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

describe('secrets', () => {
  /** Everything that opens something, from one call for each kind. */
  async function secretsOf(emulator: TestEmulator): Promise<string[]> {
    const { sandbox, live, otherCustomer, initiate, post } = emulator
    const url = 'http://127.0.0.1:9/'
    const { id, signing_secret } = await post('/webhooks/subscriptions', {
      url,
      event_types: ['webhook.test'],
    })
    const rotated = await post(`/webhooks/subscriptions/${id}/rotate-secret`)
    const { secret } = await post('/api-keys', { scopes: ['read:clients'] })
    const { sid } = await post('/clients/cli_demo/connect-session')
    const { widgetUrl } = await initiate('ins_a_ok')
    const { action } = await post('/connections/con_AGGREGATOR_A_1001/reauthorize')
    const own = [sandbox, live].flatMap(({ api_key, portal_secret }) => [api_key, portal_secret])
    const others = [otherCustomer.sandbox.api_key, otherCustomer.live.api_key]
    const links = [widgetUrl, action.reauth_url].map((link: string) => new URL(link).pathname)
    return [...own, ...others, signing_secret, rotated.signing_secret, secret, sid, ...links]
  }

  test('without a seed no key, signing secret or token comes again, and the data is the same', async () => {
    const [one, other, seeded] = [
      await runningEmulator(),
      await runningEmulator(),
      await runningEmulator({ seed: 1 }),
    ]
    const all = [...(await secretsOf(one)), ...(await secretsOf(other)), ...(await secretsOf(seeded))]
    expect(all).toHaveLength(36)
    expect(new Set(all).size).toBe(all.length)
    expect([one.predictable, other.predictable, seeded.predictable]).toEqual([false, false, true])
    expect(await other.accounts()).toEqual(await one.accounts())
    expect(await seeded.accounts()).toEqual(await one.accounts())
  })

  test('a seed makes all of them predictable', async () => {
    const [one, other] = [await runningEmulator({ seed: 1 }), await runningEmulator({ seed: 1 })]
    expect(await secretsOf(other)).toEqual(await secretsOf(one))
  })

  test('those of the start stay good after a reset', async () => {
    const emulator = await runningEmulator()
    const { api_key, portal_secret } = emulator.sandbox
    await emulator.reset()
    expect(emulator.status().sandbox).toMatchObject({ api_key, portal_secret })
    expect((await emulator.call('GET', '/clients')).status).toBe(200)
  })

  test('are in no answer but the one that gives them', async () => {
    const emulator = await runningEmulator()
    const secrets = (await secretsOf(emulator)).map((secret) => secret.replace(/^\/\w+\//, ''))
    // A use after the making: every operation, and with every secret as an id, a filter, a header and a key.
    for (const { method, target, headers, body } of await requestTemplates(emulator)) {
      const answer = await fetch(new URL(target, emulator.sandbox.base_url), {
        method,
        headers: headers
          .filter(([name]) => !/^content-length$/i.test(name))
          .map(([name, value]) => [name, value]),
        ...(body === undefined || method === 'GET' ? {} : { body }),
      })
      const text = await answer.text()
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    }
    for (const secret of secrets) {
      const attempts = [
        await emulator.call('GET', `/connections/${secret}`),
        await emulator.call('GET', `/institutions?limit=${secret}`),
        await emulator.call('POST', '/api-keys', { body: { scopes: [secret] } }),
        await emulator.call('POST', '/webhooks/subscriptions', {
          body: { url: secret, event_types: [secret] },
        }),
        await emulator.call('GET', '/clients', { key: secret }),
        await emulator.call('GET', '/clients', { headers: { 'x-forwarded-for': secret } }),
      ]
      expect(attempts.filter(({ text }) => text.includes(secret)).map(({ text }) => text)).toEqual([])
    }
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
