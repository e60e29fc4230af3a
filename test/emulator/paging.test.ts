import { describe, expect, test } from 'vitest'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

async function walk(emulator: TestEmulator, path: string, limit: number): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const join = path.includes('?') ? '&' : '?'
    const page = await emulator.get(`${path}${join}limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`)
    expect(page.data.length).toBeLessThanOrEqual(limit)
    expect(page.has_more).toBe(page.next_cursor !== null)
    ids.push(...page.data.map(({ id }: { id: string }) => id))
    cursor = page.next_cursor
  } while (cursor !== null)
  return ids
}

const account = '/accounts/acc_AGGREGATOR_A_100101'
const transactions = `${account}/transactions?client_id=cli_demo`

describe('paging', () => {
  test.each([
    '/clients',
    '/institutions',
    '/clients/cli_demo/connections',
    '/accounts?client_id=cli_demo',
    '/accounts?client_id=cli_demo&connection_id=con_FDE_123',
    transactions,
    `${account}/statements?client_id=cli_demo`,
    '/accounts/acc_FDE_12301/checks?client_id=cli_demo',
    '/webhooks/subscriptions',
    '/api-keys',
  ])('%s: small pages give the same rows in the same order as one big page', async (path) => {
    const emulator = await runningEmulator()
    for (let count = 0; count < 3; count += 1) {
      await emulator.post('/clients', { name: `Client ${count}` })
      await emulator.post('/webhooks/subscriptions', {
        url: 'http://127.0.0.1:9/',
        event_types: ['webhook.test'],
      })
      await emulator.post('/api-keys', { scopes: ['read:clients'] })
    }
    const whole = await walk(emulator, path, 500)
    expect(whole.length).toBeGreaterThan(1)
    expect(await walk(emulator, path, 2)).toEqual(whole)
    expect(new Set(whole).size).toBe(whole.length)
  })

  test('the default is 100, above 500 is capped, not rejected', async () => {
    const emulator = await runningEmulator()
    for (let count = 0; count < 505; count += 1) await emulator.post('/clients', {})
    expect((await emulator.get('/clients')).data).toHaveLength(100)
    for (const limit of ['501', '1234567890123456', '9'.repeat(40), '9'.repeat(400)]) {
      expect((await emulator.get(`/clients?limit=${limit}`)).data).toHaveLength(500)
    }
    expect((await emulator.get('/clients?limit=999999')).data).toHaveLength(500)
  })

  test.each(['0', '-1', '1.5', 'ten', '', '1e2'])('limit=%s is validation_failed', async (limit) => {
    const emulator = await runningEmulator()
    const { status, json } = await emulator.call('GET', `/clients?limit=${limit}`)
    expect([status, json.error.code, json.error.param]).toEqual([400, 'validation_failed', 'limit'])
  })

  test('stays correct while rows come and go: nothing twice, nothing of the rest left out', async () => {
    const emulator = await runningEmulator()
    const whole = await walk(emulator, transactions, 500)
    const first = await emulator.get(`${transactions}&limit=10`)
    await emulator.refreshed('con_AGGREGATOR_A_1001')
    await emulator.advance(2 * 86_400_000)
    const gone: string[] = []
    const rest: string[] = []
    let cursor = first.next_cursor
    while (cursor) {
      const page = await emulator.get(`${transactions}&limit=10&cursor=${cursor}`)
      rest.push(...page.data.map(({ id }: { id: string }) => id))
      cursor = page.next_cursor
    }
    for (const id of whole.slice(10)) if (!rest.includes(id)) gone.push(id)
    expect(rest).toEqual(whole.slice(10).filter((id) => !gone.includes(id)))
    // What is missing was moved to the front by settling, or taken back by the bank.
    const now = await walk(emulator, transactions, 500)
    for (const id of gone)
      expect(now.indexOf(id) === -1 || now.indexOf(id) < now.indexOf(rest[0] ?? '')).toBe(true)
  })

  test.each([
    ['another account', '/accounts/acc_AGGREGATOR_A_100102/transactions?client_id=cli_demo'],
    ['another date window', `${transactions}&from=2026-01-01`],
    ['another operation', '/accounts?client_id=cli_demo'],
    ['another area', '/clients'],
  ])('a cursor used with %s is 400 invalid_request', async (_what, path) => {
    const emulator = await runningEmulator()
    const { next_cursor } = await emulator.get(`${transactions}&limit=3`)
    const join = path.includes('?') ? '&' : '?'
    const { status, json } = await emulator.call('GET', `${path}${join}cursor=${next_cursor}`)
    expect([status, json.error.code]).toEqual([400, 'invalid_request'])
  })

  test('a cursor may be used with another limit; a forged or cut one is 400 invalid_request', async () => {
    const emulator = await runningEmulator()
    const { next_cursor } = await emulator.get(`${transactions}&limit=3`)
    expect((await emulator.call('GET', `${transactions}&limit=7&cursor=${next_cursor}`)).status).toBe(200)
    const flipped = `${next_cursor.slice(0, -1)}${next_cursor.endsWith('A') ? 'E' : 'A'}`
    for (const cursor of [flipped, next_cursor.slice(0, 10), 'x', `${next_cursor}AAAA`]) {
      const { status, json } = await emulator.call('GET', `${transactions}&cursor=${cursor}`)
      expect([cursor, status, json.error.code]).toEqual([cursor, 400, 'invalid_request'])
    }
  })

  test("another customer's or environment's cursor is 400 invalid_request", async () => {
    const emulator = await runningEmulator()
    await emulator.post('/clients', {})
    const { next_cursor } = await emulator.get('/clients?limit=1')
    const foreign = [
      emulator.call('GET', `/clients?cursor=${next_cursor}`, { key: emulator.otherCustomer.sandbox.api_key }),
      emulator.call('GET', `/clients?cursor=${next_cursor}`, { base: 'live' }),
    ]
    for (const { status, json } of await Promise.all(foreign)) {
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
    }
  })
})
