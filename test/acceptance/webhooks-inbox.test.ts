import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHome, type Home } from '../support/cli.ts'
import { type PythonReceiver, startPythonReceiver } from '../support/python-receiver.ts'
import { storeSecrets } from '../support/stored-secrets.ts'
import { deliver, eventBody, signedHeaders } from '../support/test-listener.ts'
import { until } from '../support/until.ts'

const secret = 'whsec_inbox'
let home: Home
let target: PythonReceiver
let broken: PythonReceiver
let url: string

beforeAll(async () => {
  target = await startPythonReceiver(secret)
  broken = await startPythonReceiver(
    secret,
    '--status',
    '500',
    '--answer',
    'handler broke: \u001b[2J no such column',
  )
})
afterAll(async () => {
  await target.stop()
  await broken.stop()
})
beforeEach(async () => {
  target.received.length = 0
  broken.received.length = 0
  home = createHome({ env: { BANKAPI_WEBHOOK_SECRET: secret } })
  const routes = ['--forward', `connection.failed=${broken.url}`, '--forward', target.url]
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--json', ...routes])
  url = (JSON.parse(await listener.line()) as { url: string }).url
})

async function send(eventId: string, type = 'connection.active', key = secret): Promise<number> {
  const body = eventBody(eventId, type)
  const { status } = await deliver(url, body, {
    ...(await signedHeaders(body, { key })),
    'X-LS-Webhook-Event-Id': eventId,
    'X-LS-Webhook-Event-Type': type,
    Authorization: 'Bearer sk_test_secret',
  })
  return status
}
const sendBroken = (eventId: string) => send(eventId, 'connection.failed')
const sendForged = (eventId: string) => send(eventId, 'connection.active', 'whsec_stranger')

interface Row {
  id: number
  event_id: string
  verified: boolean
  duplicate: boolean
  replay_of: number | null
  reason: string | null
  detail: string | null
  forward: { status: number | null } | null
}
const events = async (...flags: string[]) =>
  (await home.json<{ data: Row[]; has_more: boolean }>(['webhooks', 'events', ...flags])).data

it('keeps every delivery: accepted, failed, refused and repeated', async () => {
  expect([
    await send('evt_good'),
    await send('evt_good'),
    await sendBroken('evt_broken'),
    await sendForged('evt_forged'),
  ]).toEqual([200, 200, 500, 401])
  const rows = await events()
  expect(
    rows.map(({ event_id, verified, duplicate, forward }) => [
      event_id,
      verified,
      duplicate,
      forward?.status,
    ]),
  ).toEqual([
    ['evt_forged', false, false, undefined],
    ['evt_broken', true, false, 500],
    ['evt_good', true, true, 200],
    ['evt_good', true, false, 200],
  ])
  expect((await events('--failed')).map(({ event_id }) => event_id)).toEqual(['evt_forged', 'evt_broken'])
  expect((await events('--type', 'connection.f*')).map(({ event_id }) => event_id)).toEqual(['evt_broken'])
  expect(await events('--since', '1h')).toHaveLength(4)
  expect(await events('--since', '2099-01-01')).toEqual([])
  const limited = await home.json<{ has_more: boolean }>(['webhooks', 'events', '--limit', '1'])
  expect(limited.has_more).toBe(true)
  expect(await events('--env', 'live')).toEqual([])
  const csv = await home.run(['webhooks', 'events', '-o', 'csv', '--columns', 'event_id,verified'])
  expect(csv.stdout.split('\n')[1]).toBe('evt_forged,false')
})

it('show prints headers, body, verdict and the answer of the target', async () => {
  await send('evt_good')
  await sendBroken('evt_broken')
  await sendForged('evt_forged')
  const { data } = await home.json<{
    data: [{ body: string; body_base64: string; forwards: { body: string }[] }]
  }>([...['webhooks', 'show', 'evt_broken']])
  expect(data).toHaveLength(1)
  expect(data[0].body).toBe(eventBody('evt_broken', 'connection.failed'))
  expect(Buffer.from(data[0].body_base64, 'base64').toString()).toBe(data[0].body)
  expect(data[0].forwards[0]?.body).toContain('handler broke')

  const { stdout } = await home.run(['webhooks', 'show', 'evt_broken'])
  expect(stdout).toContain('X-LS-Webhook-Signature')
  expect(stdout).toContain('Authorization: [not kept]')
  expect(stdout).not.toContain('sk_test_secret')
  expect(stdout).toContain('"status": "active"')
  expect(stdout).toContain('<-- 500')
  expect(stdout).toContain('handler broke: \\x1b[2J no such column')
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)

  const forged = await home.run(['webhooks', 'show', 'evt_forged'])
  expect(forged.stdout).toContain('No secret known on this machine gives this signature')
  const number = await home.run(['webhooks', 'show', '1', '--jq', '.data[0].event_id'])
  expect(number.stdout).toBe('evt_good\n')
  expect((await home.run(['webhooks', 'show', 'evt_none'])).code).toBe(5)
})

it('replay sends the same bytes and headers again, and is marked as a replay', async () => {
  await sendBroken('evt_broken')
  expect((await events('--failed')).map(({ event_id }) => event_id)).toEqual(['evt_broken'])
  const { code, stdout } = await home.run(['webhooks', 'replay', 'evt_broken', '--to', target.url])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^200 {2}POST http/)
  expect(target.received).toHaveLength(1)
  expect(target.received[0]).toMatchObject({ agrees: true })
  expect(String(target.received[0]?.body)).toBe(eventBody('evt_broken', 'connection.failed'))
  expect(target.received[0]?.headers.map(([name]) => name.toLowerCase())).not.toContain('authorization')
  const [replayed] = await events('--type', 'connection.failed')
  expect(replayed).toMatchObject({
    event_id: 'evt_broken',
    duplicate: false,
    replay_of: 1,
    forward: { status: 200 },
  })
  // A target has accepted it by now.
  expect(await events('--failed')).toEqual([])
})

it('replay --failed takes exactly what events --failed lists: it sends what verified, and names what did not', async () => {
  await send('evt_good')
  await sendForged('evt_forged')
  await sendBroken('evt_broken')
  await sendBroken('evt_broken')
  const listed = await events('--failed')
  expect(listed.map(({ event_id }) => event_id)).toEqual(['evt_broken', 'evt_forged'])
  broken.received.length = 0
  const replay = async () => {
    const { code, stdout, stderr } = await home.run(['webhooks', 'replay', '--failed', '--json'])
    return { code, stderr, ...(JSON.parse(stdout) as { accepted: number; data: Row[]; not_sent: Row[] }) }
  }
  const { code, stderr, ...result } = await replay()
  expect(code).toBe(11)
  expect(result).toMatchObject({
    accepted: 0,
    data: [{ event_id: 'evt_broken', status: 500 }],
    not_sent: [{ event_id: 'evt_forged', type: 'connection.active', reason: 'signature_mismatch' }],
  })
  expect(stderr).toContain('1 delivery that did not verify is not sent')
  expect(stderr).toContain('bankapi webhooks reverify')
  expect(broken.received).toHaveLength(1)
  // A replay that is refused changes nothing.
  expect((await events('--failed')).map(({ id }) => id)).toEqual(listed.map(({ id }) => id))
  await home.run(['webhooks', 'replay', 'evt_broken', '--to', target.url])
  expect(await events('--failed')).toMatchObject([{ event_id: 'evt_forged' }])
  expect(await replay()).toMatchObject({ code: 0, data: [], not_sent: [{ event_id: 'evt_forged' }] })
  // By its id it is sent, and this target takes it.
  await home.run(['webhooks', 'replay', 'evt_broken', 'evt_forged', '--to', target.url])
  expect(await events('--failed')).toEqual([])
})

it('replay --failed sends what came without a target, and was then replayed in vain, to the same one again', async () => {
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--json'])
  url = (JSON.parse(await listener.line()) as { url: string }).url
  await send('evt_kept')
  expect(await events('--failed')).toEqual([])
  await home.run(['webhooks', 'replay', 'evt_kept', '--to', broken.url])
  expect(await events('--failed')).toMatchObject([{ event_id: 'evt_kept', replay_of: null }])
  const { code } = await home.run(['webhooks', 'replay', '--failed'])
  expect([code, broken.received.length]).toEqual([11, 2])
  await home.run(['webhooks', 'replay', 'evt_kept', '--to', target.url])
  expect(await events('--failed')).toEqual([])
})

it.each([
  ['listen', '--forward', '3000', '--forward-timeout', '0'],
  ['replay', '--failed', '--timeout', '0ms'],
])('a time limit of nothing is refused: webhooks %s', async (...args) => {
  const { code, stderr } = await home.run(['webhooks', ...args])
  expect([code, stderr]).toEqual([2, expect.stringContaining('leaves no time')])
})

it('what a listener with the right secret receives later is not failed any more', async () => {
  await sendForged('evt_late')
  expect(await events('--failed')).toMatchObject([{ event_id: 'evt_late' }])
  await send('evt_late')
  expect(await events('--failed')).toEqual([])
})

describe('reverify', () => {
  const reverify = async (...args: string[]) => {
    const env = { BANKAPI_WEBHOOK_SECRET: 'whsec_stranger' }
    const { code, stdout, stderr } = await home.run(['webhooks', 'reverify', '--json', ...args], { env })
    return { code, stderr, ...(JSON.parse(stdout) as { verified: number; data: Row[] }) }
  }

  it('judges what was refused again with the secret of today, and what verifies is not failed any more', async () => {
    await sendForged('evt_1')
    await sendForged('evt_1')
    await send('evt_2', 'connection.active', 'whsec_other')
    const { code, stderr, ...result } = await reverify()
    expect(code).toBe(12)
    expect(result).toMatchObject({
      verified: 2,
      data: [
        { event_id: 'evt_1', verified: true, finding: 'verified' },
        { event_id: 'evt_1', verified: true, finding: 'verified' },
        { event_id: 'evt_2', verified: false, finding: 'unknown' },
      ],
    })
    expect(stderr).toContain('bankapi webhooks replay evt_1 --to URL')
    expect(await events('--failed')).toMatchObject([{ event_id: 'evt_2' }])
    expect(await events()).toMatchObject([
      { event_id: 'evt_2', verified: false },
      { event_id: 'evt_1', verified: true, duplicate: true, reason: null },
      { event_id: 'evt_1', verified: true, duplicate: false, reason: null },
    ])
    // Nothing of evt_1 is left to judge.
    expect(await reverify('evt_1')).toMatchObject({ code: 0, data: [] })
    expect(await reverify('--since', '2099-01-01')).toMatchObject({ code: 0, data: [] })
    expect(await reverify('--type', 'connection.f*')).toMatchObject({ code: 0, data: [] })
  })

  it('explains anew what still does not verify', async () => {
    await sendForged('evt_1')
    await until(
      async () => (await events('--failed'))[0]?.detail?.includes('on this machine'),
      'the explanation of the listener',
    )
    const env = { BANKAPI_WEBHOOK_SECRET: 'stranger' }
    const { code, stdout } = await home.run(['webhooks', 'reverify', 'evt_1', '--json'], { env })
    expect(code).toBe(12)
    expect(JSON.parse(stdout)).toMatchObject({ data: [{ finding: 'secret_form', verified: false }] })
    const [row] = await events('--failed')
    expect(row).toMatchObject({ reason: 'signature_mismatch', detail: expect.stringContaining('whsec_') })
  })

  it('cannot judge a delivery of which only the beginning is kept', async () => {
    const body = JSON.stringify({ event_id: 'evt_cut', type: 'connection.active', text: 'x'.repeat(20_000) })
    await deliver(url, body, await signedHeaders(body, { key: 'whsec_stranger' }))
    expect(await reverify()).toMatchObject({
      code: 12,
      data: [{ finding: 'body_not_kept', verified: false }],
    })
  })

  it('uses the stored secret of the environment where none is named', async () => {
    await sendForged('evt_1')
    const data = await events('--failed')
    expect(data).toMatchObject([{ environment: 'sandbox' }])
    const reverifyStored = async () => {
      const { stdout } = await home.run(['webhooks', 'reverify', '--json'], {
        env: { BANKAPI_WEBHOOK_SECRET: '' },
      })
      return JSON.parse(stdout) as { data: Row[] }
    }
    expect(await reverifyStored()).toMatchObject({ data: [{ finding: 'no_secret' }] })
    storeSecrets(home, { 'live/webhook/whk_1': 'whsec_stranger' })
    expect(await reverifyStored()).toMatchObject({ data: [{ finding: 'other_secret' }] })
    storeSecrets(home, { 'sandbox/webhook/whk_1': 'whsec_stranger' })
    expect(await reverifyStored()).toMatchObject({ data: [{ finding: 'verified' }] })
  })
})

it('expect --accepted waits until the server has answered 2xx, also to a replay', async () => {
  await sendBroken('evt_1')
  const args = ['webhooks', 'expect', 'connection.failed', '--accepted', '--since', '1h', '--json']
  const missed = await home.run([...args, '--within', '200ms'])
  expect(missed.code).toBe(12)
  expect(JSON.parse(missed.stderr)).toMatchObject({
    error: { code: 'event_not_accepted', hint: expect.stringContaining('answered 500') },
  })
  expect((await home.run([...args.slice(0, 3), '--since', '1h'])).code).toBe(0)
  const waiting = home.start([...args, '--within', '60s'])
  await home.run(['webhooks', 'replay', 'evt_1', '--to', target.url])
  const { code, stdout } = await waiting.ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ event_id: 'evt_1', replay_of: 1, forwards: [{ status: 200 }] })
})

it('expect --accepted says that a listener forwards nowhere', async () => {
  const plain = createHome({ keep: true, env: { BANKAPI_WEBHOOK_SECRET: secret } })
  try {
    const listener = plain.start(['webhooks', 'listen', '--port', '0', '--json'])
    const at = (JSON.parse(await listener.line()) as { url: string }).url
    const body = eventBody('evt_1', 'connection.active')
    await deliver(at, body, await signedHeaders(body, { key: secret }))
    const expecting = ['webhooks', 'expect', 'connection.active', '--since', '1h', '--within', '100ms']
    expect((await plain.run(expecting)).code).toBe(0)
    const { code, stderr } = await plain.run([...expecting, '--accepted'])
    expect(code).toBe(12)
    expect(stderr).toContain('forwarded it nowhere')
  } finally {
    await plain.remove()
  }
})

it('replay --since sends each event once, oldest first', async () => {
  await send('evt_good')
  await send('evt_good')
  await sendBroken('evt_broken')
  await send('evt_better')
  await sendForged('evt_forged')
  target.received.length = 0
  const { code } = await home.run(['webhooks', 'replay', '--since', '1h', '--to', target.url])
  expect(code).toBe(0)
  const ids = target.received.map(({ body }) => (JSON.parse(String(body)) as { event_id: string }).event_id)
  expect(ids).toEqual(['evt_good', 'evt_broken', 'evt_better'])
})

it('--resign signs with the secret and the current time', async () => {
  await send('evt_good')
  const other = await startPythonReceiver('whsec_other')
  const args = ['webhooks', 'replay', 'evt_good', '--to', other.url]
  await home.run(args)
  await home.run([...args, '--resign'], { env: { BANKAPI_WEBHOOK_SECRET: 'whsec_other' } })
  await other.stop()
  expect(other.received.map(({ agrees }) => agrees)).toEqual([false, true])
  const names = other.received[1]?.headers.map(([name]) => name.toLowerCase()) ?? []
  expect(names.filter((name) => name === 'x-ls-webhook-signature')).toHaveLength(1)
})

it('replay names what is missing', async () => {
  await send('evt_good')
  await sendForged('evt_forged')
  const codes = await Promise.all(
    [[], ['evt_good', '--failed'], ['evt_forged'], ['evt_none'], ['evt_good', '--to', 'a.*=3000']].map(
      async (args) => (await home.run(['webhooks', 'replay', ...args])).code,
    ),
  )
  expect(codes).toEqual([2, 2, 2, 5, 2])
})

it('expect ends with 0 at the first matching event since it started', async () => {
  const where = '.event_id | startswith("evt_hoped")'
  const waiting = home.start(['webhooks', 'expect', 'connection.*', '--where', where, '--json'])
  // It does not print when it has started; events before that do not count.
  let sent = 0
  await until(async () => {
    sent++
    await send(`evt_other_${sent}`)
    await send(`evt_hoped_${sent}`)
    return waiting.process.exitCode !== null
  }, 'the end of expect')
  const { code, stdout, stderr } = await waiting.ended
  expect(code, stderr).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    event_id: expect.stringMatching(/^evt_hoped_/),
    verified: true,
  })
})

it('expect ends with 12 when the event came before it started, unless --since says so', async () => {
  await send('evt_hoped')
  const before = [
    'webhooks',
    'expect',
    'connection.active',
    '--where',
    '.event_id == "evt_hoped"',
    '--within',
    '300ms',
  ]
  const missed = await home.run(before)
  expect(missed.code).toBe(12)
  expect(missed.stderr).toContain('Nothing came at all')
  expect((await home.run([...before, '--since', '1h'])).code).toBe(0)
})

it('expect counts only verified deliveries, and says what came instead', async () => {
  await sendForged('evt_forged')
  const args = ['--since', '1h', '--within', '100ms']
  const forged = await home.run([
    'webhooks',
    'expect',
    'connection.*',
    '--where',
    '.event_id == "evt_forged"',
    ...args,
  ])
  expect(forged.code).toBe(12)
  expect(forged.stderr).toContain('connection.active (not verified) ×1')
  const failing = await home.run(['webhooks', 'expect', 'connection.*', '--where', '.type.x', ...args])
  expect(failing.code).toBe(12)
  const mistake = await home.run(['webhooks', 'expect', 'connection.*', '--where', '.a |'])
  expect(mistake.code).toBe(2)
  expect((await home.run(['webhooks', 'expect', 'connection.initiated'])).code).toBe(2)
})

it('inbox.max_size bounds the inbox: beyond it the answer is 503, and of what was answered 200 nothing is lost', async () => {
  const small = createHome({ keep: true, env: { BANKAPI_WEBHOOK_SECRET: secret } })
  try {
    await small.json(['config', 'set', 'inbox.max_size', '1mb'])
    const full = small.start(['webhooks', 'listen', '--port', '0', '--json'])
    const at = (JSON.parse(await full.line()) as { url: string }).url
    const acknowledged: string[] = []
    const others = new Set<number>()
    for (let number = 0; number < 80; number++) {
      const body = eventBody(`evt_${number}`, `x${'x'.repeat(10_000)}`)
      const { status } = await deliver(at, body, await signedHeaders(body, { key: secret }))
      if (status === 200) acknowledged.push(`evt_${number}`)
      else others.add(status)
    }
    expect(acknowledged.length).toBeGreaterThan(10)
    expect([...others]).toEqual([503])
    full.process.kill('SIGINT')
    expect((await full.ended).stderr).toContain('inbox.max_size')
    const { data } = await small.json<{ data: Row[] }>(['webhooks', 'events'])
    expect(data.map(({ event_id }) => event_id).reverse()).toEqual(acknowledged)
  } finally {
    await small.remove()
  }
})

it('replay refuses a delivery of which only the beginning is kept, and show says so', async () => {
  const body = JSON.stringify({ event_id: 'evt_cut', type: 'connection.active', text: 'x'.repeat(20_000) })
  expect((await deliver(url, body, { 'Content-Type': 'application/json' })).status).toBe(401)
  const replayed = await home.run(['webhooks', 'replay', 'evt_cut', '--to', target.url])
  expect(replayed.code).toBe(2)
  expect(replayed.stderr).toContain('only the beginning is kept')
  const shown = await home.run(['webhooks', 'show', 'evt_cut'])
  expect(shown.stdout).toContain(`The first 8192 of its ${body.length} bytes are kept.`)
})
