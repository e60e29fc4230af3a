import { expect, it } from 'vitest'
import { json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()

it('counts are whole numbers of a window; an empty window counts no new data', async () => {
  const summary = JSON.parse(await emulator.text('bankapi metrics summary --json'))
  expect(Object.values(summary).every((count) => Number.isInteger(count))).toBe(true)
  expect(summary.transactions_in_period).toBeGreaterThan(0)
  expect(
    await emulator.transcript('bankapi metrics summary --from 2001-01-01 --to 2001-01-02'),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi metrics summary --from DATE --to DATE
    total_clients:	1
    active_connections:	3
    linked_accounts:	18
    statements_in_period:	0
    transactions_in_period:	0
    stale_accounts_count:	0
    "
  `)
})

it('the window may be given as words and ages', async () => {
  const counted = async (flags: string) =>
    JSON.parse(await emulator.text(`bankapi metrics summary --json ${flags}`)).transactions_in_period
  const all = await counted('')
  expect(all).toBeGreaterThan(0)
  expect(await counted('--from 30d --to now')).toBe(all)
  expect(await counted('--from 30d --to 20d')).toBeLessThan(all)
  expect(await counted('--from yesterday')).toBeLessThan(all)
})

it('a window of more than 366 days is rejected by the service (exit 7), an invalid one before a request (exit 2)', async () => {
  expect((await emulator.run('bankapi metrics summary --from 2020-01-01 --to 2026-01-01')).code).toBe(7)
  expect((await emulator.run('bankapi metrics summary --from soon')).code).toBe(2)
  const endOnly = await emulator.run('bankapi metrics summary --to 2020-01-01')
  expect([endOnly.code, endOnly.stderr]).toEqual([7, expect.stringContaining('too, with --from')])
})

it('failures by event are a bar chart that fits the terminal', async () => {
  await emulator.text(
    "bankapi webhooks create --url http://127.0.0.1:9/ --events webhook.test --print-secret --jq '.id, .signing_secret' > created; bankapi webhooks test $(head -n 1 created)",
  )
  const measured = async () => JSON.parse(await emulator.text('bankapi metrics webhook-delivery --json'))
  await until(async () => (await measured()).failure_count > 0, 'the failed delivery')
  expect(await measured()).toMatchObject({
    success_count: 0,
    failures_by_event: [{ event_type: 'webhook.test' }],
  })
  // In a pipe a row each.
  expect(await emulator.text('bankapi metrics webhook-delivery')).toMatch(/^webhook\.test\t\d+$/m)
  const screen = await emulator.screen('bankapi metrics webhook-delivery', { columns: 50 })
  expect(screen).toMatch(/webhook\.test +█+ +\d/)
  for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(50)
})

it('on a terminal the share that succeeded is drawn, never 100 % with a failure, and times are in words', async () => {
  const answer = {
    total_deliveries: 20_000,
    success_count: 19_999,
    failure_count: 1,
    p95_latency_ms: 81_910_014,
    failures_by_event: [],
  }
  const { baseUrl } = await serve((_, response) => json(response, 200, answer))
  const env = {
    BANKAPI_ENV: 'sandbox',
    BANKAPI_BASE_URL: baseUrl,
    BANKAPI_API_KEY: 'sk_test_ab12cdef',
    NO_COLOR: '1',
  }
  for (const columns of [40, 60, 80, 120, 200]) {
    const screen = await emulator.screen('bankapi metrics webhook-delivery', { columns, env })
    expect(screen).toMatch(/success rate +█+░ +99\.9 %/)
    expect(screen).toMatch(/succeeded +19999\n/)
    expect(screen).toMatch(/p95 latency +22 h 45 m\n/)
    for (const line of screen.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
  }
  expect(await emulator.text('bankapi metrics webhook-delivery', { env })).toContain(
    'p95_latency_ms:\t81910014',
  )
})
