import { expect, it, onTestFinished } from 'vitest'
import { json, serve } from '../api/servers.ts'
import { createHome, type Home, type Started } from '../support/cli.ts'
import { createEmulatorHome, emulatorHome } from '../support/emulator-process.ts'
import { freePort } from '../support/free-port.ts'
import { withStoredSecrets } from '../support/stored-secrets.ts'
import { deliver, eventBody, signedHeaders } from '../support/test-listener.ts'

const home = emulatorHome()

interface Ready {
  readonly url: string
  readonly subscription_id: string | null
}
interface Line {
  readonly event_id: string
  readonly verified: boolean
  readonly reason: string | null
}

const listen = (where: Home, ...flags: string[]): Started =>
  where.start(['webhooks', 'listen', '--json', ...flags])
const ready = async (listener: Started) => JSON.parse(await listener.line()) as Ready
const delivered = async (listener: Started, eventId: string) =>
  JSON.parse(await listener.line((line) => line.includes(eventId))) as Line

async function stop(listener: Started) {
  listener.process.kill('SIGINT')
  return listener.ended
}

/** Ids of the subscriptions at the emulator. */
async function subscriptions(): Promise<string[]> {
  const { data } = await home.json<{ data: { id: string }[] }>(['webhooks', 'list'])
  return data.map(({ id }) => id)
}

async function testFire(id: string): Promise<string> {
  return (await home.json<{ event_id: string }>(['webhooks', 'test', id])).event_id
}

it('finds its subscription again after kill -9 instead of making a second one, and removes it at the end', async () => {
  const port = String(await freePort())
  const first = listen(home, '--port', port)
  const { subscription_id: id } = await ready(first)
  first.process.kill('SIGKILL')
  await first.ended
  expect(await subscriptions()).toEqual([id])

  const second = listen(home, '--port', port, '--events', 'connection.active')
  expect((await ready(second)).subscription_id).toBe(id)
  // It still knows the secret, and subscribes to the current types.
  expect(await delivered(second, await testFire(id ?? ''))).toMatchObject({ verified: true })
  expect(await home.json(['webhooks', 'get', id ?? ''])).toMatchObject({ event_types: ['connection.active'] })
  expect(await stop(second)).toMatchObject({ code: 0, stderr: '' })
  expect(await subscriptions()).toEqual([])
})

it('a subscription whose secret is not stored here needs --rotate, and is not removed at the end', async () => {
  const port = String(await freePort())
  const url = `http://127.0.0.1:${port}/`
  const body = { url, event_types: ['connection.active', 'webhook.test'] }
  const { id } = await home.json<{ id: string }>(['api', 'POST', '/webhooks/subscriptions', '--input', '-'], {
    input: JSON.stringify(body),
  })

  const refused = await listen(home, '--port', port).ended
  expect(refused.code).toBe(2)
  expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: 'secret_unknown' } })
  expect(refused.stderr).toContain('--rotate')

  const rotating = listen(home, '--port', port, '--rotate')
  expect((await ready(rotating)).subscription_id).toBe(id)
  expect(await delivered(rotating, await testFire(id))).toMatchObject({ verified: true })
  const { code, stderr } = await stop(rotating)
  expect(code).toBe(0)
  expect(stderr).toContain(`${id} stays subscribed`)

  // The secret is stored from now on.
  const again = listen(home, '--port', port)
  await ready(again)
  expect(await delivered(again, await testFire(id))).toMatchObject({ verified: true })
  await stop(again)
  expect(await subscriptions()).toEqual([id])
  await home.json(['webhooks', 'delete', id, '--yes'])
})

it('a signing secret that comes under another name ends the listener: it stores nothing, and shows all that came', async () => {
  const url = 'https://hooks.example.com/'
  const made = { id: 'whk_1', url, event_types: [], status: 'active', created_at: '2026-01-01T00:00:00Z' }
  const answer = { ...made, secret: 'whsec_only_once' }
  const rotating = [
    [[made], ['--public-url', url, '--rotate'], ['GET', 'POST']],
    [[], ['--subscription', 'whk_1', '--rotate'], ['POST']],
  ] as const
  for (const [there, flags, sent, body = answer, removed = 204] of [
    [[], ['--public-url', url], ['GET', 'POST', 'DELETE']],
    [[], ['--public-url', url], ['GET', 'POST', 'DELETE'], answer, 404],
    [[], ['--public-url', url], ['GET', 'POST'], 'whsec_only_once'],
    ...rotating,
    ...rotating.map((one) => [...one, ['whsec_only_once']] as const),
  ] as const) {
    const { baseUrl, heard } = await serve(({ method }, response) => {
      if (method === 'DELETE') response.writeHead(removed).end()
      else if (method === 'GET') json(response, 200, { data: there, has_more: false })
      else json(response, 201, body)
    })
    const other = createHome({ env: { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl } })
    const input = 'sk_test_ab12cdef'
    await other.json(['login', '--key-stdin', '--insecure-storage', '--offline'], { input })
    const { code, stdout, stderr } = await listen(other, '--port', '0', ...flags).ended
    expect(code, stderr).toBe(1)
    if (body === answer) expect(stderr).toContain('no field signing_secret')
    // What was made only for the listener is removed again, so it can be made anew; rotating again would lose a secret.
    expect(stderr.includes('--print-secret')).toBe(sent.at(-1) === 'DELETE' && removed === 204)
    expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual(body)
    expect(heard.map(({ method }) => method)).toEqual(sent)
  }
})

it('rotate-secret keeps both secrets, and a listener accepts either for 24 hours', async () => {
  const other = await withStoredSecrets({ 'sandbox/api-key': home.sandbox.api_key })
  await other.run(['config', 'set', 'environments.sandbox.base_url', home.sandbox.base_url])
  const { id } = await other.json<{ id: string }>(['webhooks', 'create', '--url', 'http://127.0.0.1:9/'])
  const secretOf = async (): Promise<string> => {
    const { readFileSync } = await import('node:fs')
    const stored = JSON.parse(readFileSync(`${other.folder}/config/credentials.json`, 'utf8')) as Record<
      string,
      string
    >
    return stored[`sandbox/webhook/${id}`] ?? ''
  }
  const old = await secretOf()
  await other.json(['webhooks', 'rotate-secret', id, '--yes'])
  const fresh = await secretOf()
  expect(fresh).not.toBe(old)

  const listener = listen(other, '--port', '0', '--subscription', id)
  const { url } = await ready(listener)
  const send = async (key: string) => {
    const body = eventBody()
    return (await deliver(url, body, await signedHeaders(body, { key }))).status
  }
  expect([await send(fresh), await send(old), await send('whsec_stranger')]).toEqual([200, 200, 401])
  await stop(listener)
  await other.json(['webhooks', 'delete', id, '--yes'])
})

it('when the secret of another environment signed a delivery, the user is told and the sender is not', async () => {
  const other = await withStoredSecrets({
    'sandbox/webhook/whk_1': 'whsec_sandbox',
    'live/webhook/whk_2': 'whsec_live',
  })
  const listener = other.start(['webhooks', 'listen', '--port', '0', '--subscription', 'whk_1'])
  const url = /http\S+/.exec(await listener.line())?.[0] ?? ''
  const body = eventBody('evt_live')
  const answer = await deliver(url, body, await signedHeaders(body, { key: 'whsec_live' }))
  expect(answer.status).toBe(401)
  expect(await answer.text()).not.toContain('live')
  const line = await listener.line((one) => one.includes('evt_live'))
  const words = 'It was signed with the live secret of whk_2, which is not the secret in use here.'
  expect(line).toContain(words)
  const { stdout } = await other.run(['webhooks', 'show', 'evt_live'])
  expect(stdout).toContain(words)
  await stop(listener)
})

it('on local without an emulator it says so at once, and does not listen', async () => {
  const { code, stderr } = await createHome({ env: { BANKAPI_ENV: 'local' } }).run([
    ...['webhooks', 'listen', '--port', '0', '--json'],
  ])
  expect(code).toBe(11)
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'emulator_not_running', hint: expect.stringContaining('bankapi emulator start') },
  })
})

it('an emulator that has stopped is a warning at the end, not a failure', async () => {
  const brief = await createEmulatorHome()
  onTestFinished(() => brief.remove())
  const listener = listen(brief, '--port', '0')
  const { subscription_id: id } = await ready(listener)
  brief.emulator.process.kill('SIGKILL')
  await brief.emulator.ended
  const { code, stderr } = await stop(listener)
  expect(code).toBe(0)
  expect(stderr).toContain(`${id}, made for this listener, could not be removed`)
})

it('--jq and --columns, and a target that no delivery can reach, are refused with what to write instead', async () => {
  for (const [flags, hint] of [
    [['--print-secret', '--jq', '.signing_secret'], 'webhooks listen --json | jq'],
    [['--columns', 'event_id'], 'webhooks listen --json | jq'],
    [['--forward', '3000', '--forward', '3001'], 'connection.*=localhost'],
  ] as const) {
    const { code, stdout, stderr } = await listen(home, '--port', '0', ...flags).ended
    expect([code, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr).error.hint).toContain(hint)
  }
})

it('a port in use, a missing secret and a bad target are errors before anything is created', async () => {
  const before = await subscriptions()
  const busy = listen(home, '--port', '0')
  const port = new URL((await ready(busy)).url).port
  const taken = await listen(home, '--port', port).ended
  expect(taken.code).toBe(2)
  expect(taken.stderr).toContain(`Port ${port} is in use`)
  await stop(busy)
  const codes = await Promise.all([
    listen(home, '--env', 'sandbox').ended,
    listen(home, '--forward', 'ftp://x').ended,
    listen(home, '--events', 'connection.nope').ended,
  ])
  expect(codes.map(({ code }) => code)).toEqual([2, 2, 2])
  expect(await subscriptions()).toEqual(before)
})
