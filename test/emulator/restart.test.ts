import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/options.ts'
import { startEmulator } from '../../src/emulator/start.ts'

const child = fileURLToPath(new URL('../support/emulator-child.ts', import.meta.url))

interface Child {
  readonly process: ChildProcess
  readonly base: string
  readonly key: string
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; json: Record<string, never> }>
  kill(): Promise<void>
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bankapi-emulator-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function start(dataDir: string, options: EmulatorOptions = {}): Promise<Child> {
  const running = spawn(process.execPath, [child, dataDir, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void running.kill('SIGKILL'))
  const [line] = (await once(createInterface(running.stdout), 'line')) as [string]
  const { sandbox } = JSON.parse(line)
  return {
    process: running,
    base: sandbox.base_url,
    key: sandbox.api_key,
    async call(method, path, body, headers) {
      const response = await fetch(`${sandbox.base_url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${sandbox.api_key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, json: text === '' ? {} : JSON.parse(text) }
    },
    async kill() {
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
    },
  }
}

/** Keeps what it gets; `answer` undefined: it never answers. */
async function receiver(answer: () => number | undefined) {
  const got: { id: string; body: string }[] = []
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    got.push({ id: String(request.headers['x-ls-webhook-event-id']), body })
    const status = answer()
    if (status === undefined) return
    response.statusCode = status
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, got }
}

describe('the store', () => {
  test('keeps everything over a stop and a start: ids, keys, clock, waiting jobs', async () => {
    const dataDir = folder()
    const options = { port: 0, livePort: 0, dataDir }
    const first = await startEmulator({ ...options, seed: 5 })
    await first.advance(36 * 3_600_000)
    const before = first.status()
    await first.stop()
    const second = await startEmulator({ ...options, seed: 6 })
    onTestFinished(() => second.stop())
    const after = second.status()
    expect(second.sandbox.api_key).toBe(first.sandbox.api_key)
    expect([after.seed, after.jobs_waiting, after.next_job_at]).toEqual([
      5,
      before.jobs_waiting,
      before.next_job_at,
    ])
    expect(Date.parse(after.clock) - Date.parse(before.clock)).toBeLessThan(60_000)
    expect(Date.parse(after.clock)).toBeGreaterThanOrEqual(Date.parse(before.clock))
  })

  test('random keys and tokens are the same after a restart, also with a seed that comes too late', async () => {
    const options = { port: 0, livePort: 0, dataDir: folder() }
    const first = await startEmulator(options)
    const { sandbox, live, otherCustomer } = first
    await first.stop()
    const second = await startEmulator({ ...options, seed: 1 })
    onTestFinished(() => second.stop())
    expect(second.predictable).toBe(false)
    expect([second.sandbox.api_key, second.sandbox.portal_secret, second.live.api_key]).toEqual([
      sandbox.api_key,
      sandbox.portal_secret,
      live.api_key,
    ])
    for (const { api_key } of [second.sandbox, otherCustomer.sandbox]) {
      const headers = { authorization: `Bearer ${api_key}` }
      expect((await fetch(`${second.sandbox.base_url}/clients`, { headers })).status).toBe(200)
    }
  })

  test('a folder belongs to one emulator at a time, and is for its user alone', async () => {
    const dataDir = join(folder(), 'emulator')
    const first = await startEmulator({ port: 0, livePort: 0, dataDir })
    onTestFinished(() => first.stop())
    await expect(startEmulator({ port: 0, livePort: 0, dataDir })).rejects.toThrow(
      'another emulator is using',
    )
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    expect(statSync(join(dataDir, 'emulator.db')).mode & 0o777).toBe(0o600)
  })

  test('a link in the place of the data is refused, and what it leads to is left alone', async () => {
    const dataDir = folder()
    const elsewhere = join(folder(), 'elsewhere')
    writeFileSync(elsewhere, '')
    symlinkSync(elsewhere, join(dataDir, 'emulator.db'))
    await expect(startEmulator({ port: 0, livePort: 0, dataDir })).rejects.toThrow('is a link')
    expect(statSync(elsewhere).size).toBe(0)
  })

  test('undelivered events survive kill -9: nothing is lost, nothing is renamed', async () => {
    const dataDir = folder()
    // Some attempts fail before the kill, others are under way when it comes.
    const answers = [500, 500]
    let answer = (): number | undefined => answers.pop()
    const { url, got } = await receiver(() => answer())
    const first = await start(dataDir)
    const event_types = ['connection.disconnected', 'account.refresh.completed']
    await first.call('POST', '/webhooks/subscriptions', { url, event_types })
    await first.call('DELETE', '/connections/con_FDE_123')
    await first.call('POST', '/connections/con_AGGREGATOR_A_1001/refresh')
    await expect.poll(() => new Set(got.map(({ id }) => id)).size).toBeGreaterThan(3)
    await first.kill()
    const before = new Map(got.map(({ id, body }) => [id, body]))
    got.length = 0
    answer = () => 200
    await start(dataDir)
    await expect
      .poll(() => new Set(got.map(({ id }) => id)).size, { timeout: 20_000 })
      .toBeGreaterThanOrEqual(before.size)
    for (const [id, body] of before) expect(got.find((one) => one.id === id)?.body).toBe(body)
  })

  test('a request cut off by kill -9 does not keep its Idempotency-Key', async () => {
    const dataDir = folder()
    const first = await start(dataDir, { latencyMs: 5000 })
    const request = ['POST', '/clients/cli_demo/connect-session', {}, { 'idempotency-key': 'k1' }] as const
    const cut = first.call(...request).catch(() => undefined)
    await expect.poll(async () => (await first.call(...request)).status).toBe(409)
    await first.kill()
    expect(await cut).toBeUndefined()
    expect((await (await start(dataDir)).call(...request)).status).toBe(201)
  })

  test('killed at any point there is no half state: a refresh, a link and their events stand or fall together', async () => {
    const dataDir = folder()
    const { url, got } = await receiver(() => 200)
    const first = await start(dataDir)
    await first.call('POST', '/webhooks/subscriptions', { url, event_types: ['connection.requires_action'] })
    await first.kill()
    const accepted: string[] = []
    for (let round = 0; round < 6; round += 1) {
      const emulator = await start(dataDir)
      const killed = new Promise((resolve) => setTimeout(resolve, 10 + round * 25)).then(() =>
        emulator.kill(),
      )
      for (;;) {
        const answer = await emulator
          .call('POST', '/clients/cli_demo/connections', { institution_id: 'ins_a_ok' })
          .catch(() => undefined)
        if (answer?.status !== 202) break
        accepted.push(answer.json['operation_id'] ?? '')
      }
      await killed
    }
    const last = await start(dataDir)
    const placeholders: string[] = []
    for (const id of accepted) {
      const read = () => last.call('GET', `/operations/${id}`)
      await expect.poll(async () => (await read()).json['status']).toBe('succeeded')
      const { result } = (await read()).json as unknown as { result: { connection: { id: string } } }
      placeholders.push(result.connection.id)
    }
    expect(accepted.length).toBeGreaterThan(5)
    const told = () => new Set(got.map(({ body }) => JSON.parse(body).data.connection.id))
    await expect.poll(() => placeholders.filter((id) => !told().has(id)), { timeout: 20_000 }).toEqual([])
  })
})
