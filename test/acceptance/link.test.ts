import { expect, it } from 'vitest'
import { emulatorHome } from '../support/emulator-process.ts'
import { receiver } from '../support/http-receiver.ts'
import { until } from '../support/until.ts'

const home = emulatorHome()

interface Initiated {
  readonly status: string
  readonly result: {
    readonly connection: { readonly id: string; readonly action: { readonly widget_url: string } }
  }
}

it('a bank is linked, its webhooks verified and forwarded, and the canonical id listed', async () => {
  const target = await receiver()
  const client = await home.json<{ id: string }>([
    'clients',
    'create',
    '--name',
    'Ada',
    '--external-id',
    'u-1',
  ])
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--forward', target.url, '--json'])
  expect(JSON.parse(await listener.line())).toMatchObject({
    ready: true,
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
    subscription_id: expect.stringMatching(/^whk_/),
  })

  const initiated = await home.json<Initiated>([
    ...['connections', 'initiate', '--client', client.id, '--institution', 'ins_a_ok', '--wait'],
  ])
  const { connection } = initiated.result
  expect(initiated.status).toBe('succeeded')
  expect(connection.id).toMatch(/^con_[0-9a-f-]{36}$/)
  expect((await fetch(connection.action.widget_url)).status).toBe(200)
  await target.received('connection.requires_action')
  expect(await home.json(['connections', 'list', '--client', client.id])).toMatchObject({ data: [] })

  await home.run(['emulator', 'link', connection.id])
  const active = await target.received('connection.active')
  const id = active.event.data['connection'] as { id: string }
  expect(id.id).toMatch(/^con_AGGREGATOR_A_/)
  expect(await home.json(['connections', 'list', '--client', client.id])).toMatchObject({
    data: [{ id: id.id, status: 'active', client_id: client.id }],
  })

  listener.process.kill('SIGINT')
  expect((await listener.ended).code).toBe(0)
  expect(await home.json(['webhooks', 'list'])).toMatchObject({ data: [] })
  const lines = listener.stdout().trimEnd().split('\n').slice(1)
  expect(lines.length).toBeGreaterThanOrEqual(2)
  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({
      verified: true,
      reason: null,
      duplicate: false,
      forward: { status: 200, error: null },
    })
  }
  await target.close()
})

it('--until-active ends at once when the new Connection has failed', async () => {
  const waiting = home.start([
    ...[
      'connections',
      'initiate',
      '--institution',
      'ins_b_closed',
      '--until-active',
      '--timeout',
      '60s',
      '--json',
    ],
  ])
  const offered = () => /Open this to link the bank: (\S+)/.exec(waiting.stderr())?.[1]
  await until(offered, 'the link')
  // It does not see the second in which the Connection is active.
  waiting.process.kill('SIGSTOP')
  const operations = await home.json<{ data: { id: string }[] }>(['operations', 'list'])
  const { result } = await home.json<Initiated>(['operations', 'get', operations.data[0]?.id ?? ''])
  await home.run(['emulator', 'link', result.connection.id])
  await until(async () => {
    const { data } = await home.json<{ data: { status: string }[] }>(['connections', 'list'])
    return data.some(({ status }) => status === 'disconnected')
  }, 'the end of the Connection')
  const resumed = performance.now()
  waiting.process.kill('SIGCONT')
  const { code, stdout, stderr } = await waiting.ended
  expect([code, stdout]).toEqual([9, ''])
  expect(stderr).toMatch(
    /"code":"link_failed","message":"con_AGGREGATOR_B_\w+ was linked, and is disconnected/,
  )
  expect(performance.now() - resumed).toBeLessThan(30_000)
})

it('--until-active ends at once when the link has failed before it was active: only its event tells', async () => {
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--json'])
  await listener.line()
  const waiting = home.start([
    ...[
      'connections',
      'initiate',
      '--institution',
      'ins_a_ok',
      '--until-active',
      '--timeout',
      '60s',
      '--json',
    ],
  ])
  const offered = () => /Open this to link the bank: (\S+)/.exec(waiting.stderr())?.[1]
  const url = (await until(offered, 'the link')) ?? ''
  const { data } = await home.json<{ data: { id: string }[] }>(['operations', 'list'])
  const { result } = await home.json<Initiated>(['operations', 'get', data[0]?.id ?? ''])
  const { id } = result.connection
  await home.run(['emulator', 'trigger', 'connection.failed', '--connection', id])
  const { code, stdout, stderr } = await waiting.ended
  expect([code, stdout]).toEqual([9, ''])
  expect(stderr).toMatch(/"code":"link_failed","message":"The bank was not linked; the link is failed: /)
  // As the reference says: neither the list nor a read shows what never was active.
  const read = await home.run(['api', 'GET', `/connections/${id}`, '--json'])
  expect(read.stdout + read.stderr).toContain('missing source separator')
  expect(JSON.stringify(await home.json(['connections', 'list']))).not.toContain('"failed"')
  // Nor does the user finish it any more.
  expect((await fetch(url)).status).toBe(404)
  expect((await home.run(['emulator', 'link', id])).code).toBe(2)
  listener.process.kill('SIGINT')
  await listener.ended
})

it('the user finishes the widget page: sign in, choose accounts, done', async () => {
  const initiated = await home.json<Initiated>([
    ...['connections', 'initiate', '--institution', 'ins_b_ok', '--wait'],
  ])
  const { widget_url } = initiated.result.connection.action
  const waiting = home.start([
    'connections',
    'initiate',
    '--institution',
    'ins_b_ok',
    '--until-active',
    '--json',
  ])
  expect(await finishWidget(widget_url)).toMatch(/done|linked|connected/i)
  const offered = () => /Open this to link the bank: (\S+)/.exec(waiting.stderr())?.[1]
  await finishWidget((await until(offered, 'the link')) ?? '')
  const { code, stdout } = await waiting.ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    id: expect.stringMatching(/^con_AGGREGATOR_B_/),
    status: 'active',
    institution: { id: 'ins_b_ok' },
  })
})

/** Submits every form of the widget with its default values; returns the last page. */
async function finishWidget(url: string): Promise<string> {
  let page = await (await fetch(url)).text()
  let address = url
  for (let step = 0; step < 5; step++) {
    const form = /<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/i.exec(page)
    if (!form) return page
    address = new URL((form[1] ?? '').replaceAll('&amp;', '&'), address).href
    const fields = new URLSearchParams()
    for (const [tag] of (form[2] ?? '').matchAll(/<input[^>]*>/g)) {
      const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1]
      const isChoice = attribute('type') === 'checkbox' && !/\bchecked\b/.test(tag)
      if (attribute('name') !== undefined && !isChoice) {
        fields.append(attribute('name') ?? '', attribute('value') ?? '')
      }
    }
    const button = /<button[^>]*name="([^"]*)"[^>]*value="([^"]*)"/.exec(form[2] ?? '')
    if (button) fields.append(button[1] ?? '', button[2] ?? '')
    page = await (await fetch(address, { method: 'POST', body: fields })).text()
  }
  return page
}

it('a refresh succeeds, and its account.refresh.completed is verified', async () => {
  const target = await receiver()
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--forward', target.url])
  await listener.line((line) => line.startsWith('Ready'))
  const { code, stdout } = await home.run([
    'connections',
    'refresh',
    'con_FDE_123',
    '--wait',
    '--jq',
    '.status',
  ])
  expect([code, stdout]).toEqual([0, 'succeeded\n'])
  await target.received('account.refresh.completed')
  await listener.line((line) =>
    /^\d\d:\d\d:\d\d --> account\.refresh\.completed {2}\S+ {2}acc_FDE_\S+ {2}verified$/.test(line),
  )
  await listener.line((line) => /^\d\d:\d\d:\d\d <-- 200 POST http:\/\/\S+ \S+ \d+ms$/.test(line))
  listener.process.kill('SIGTERM')
  expect((await listener.ended).code).toBe(0)
  await target.close()
})

it('operations that this machine started are listed with their outcome', async () => {
  const accepted = await home.json<{ operation_id: string }>([
    'connections',
    'refresh',
    'con_AGGREGATOR_A_1001',
  ])
  const queued = await home.json<{ data: { id: string }[] }>(['operations', 'list', '--status', 'queued'])
  expect(queued.data.map(({ id }) => id)).toContain(accepted.operation_id)
  await home.json(['operations', 'wait', accepted.operation_id])
  expect(await home.json(['operations', 'list', '--limit', '1'])).toMatchObject({
    data: [
      {
        id: accepted.operation_id,
        type: 'account.refresh',
        subject: 'con_AGGREGATOR_A_1001',
        status: 'succeeded',
      },
    ],
  })
})

it('a tampered delivery gets 401 and never reaches the target', async () => {
  const target = await receiver()
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--forward', target.url, '--json'])
  const { url } = JSON.parse(await listener.line()) as { url: string }
  const forged = await fetch(url, {
    method: 'POST',
    headers: {
      'X-LS-Webhook-Timestamp': String(Math.floor(Date.now() / 1000)),
      'X-LS-Webhook-Signature': 'ab'.repeat(32),
    },
    body: '{"event_id":"evt_forged","type":"connection.active"}',
  })
  expect(forged.status).toBe(401)
  const line = JSON.parse(await listener.line((text) => text.includes('evt_forged')))
  expect(line).toMatchObject({ verified: false, reason: 'signature_mismatch', forward: null })
  expect(target.all()).toEqual([])
  listener.process.kill('SIGINT')
  await listener.ended
  await target.close()
})
