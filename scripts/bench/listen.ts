/**
 * Compares the listener with a bare node:http pass-through proxy: same deliveries, same target, in turns.
 *
 *   node scripts/bench.ts listen [--rounds 5] [--seconds 3] [--senders 32] [--memory 100000]
 *
 * Each turn counts what the target received. The listener verifies, records and forwards each delivery; the proxy only
 * passes it on. Goals: at least half of the proxy's throughput and, with --memory, constant memory over that many deliveries.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { median } from './median.ts'

const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const secret = 'whsec_bench'

/** Connections stay while another server is measured: one that is closed as the proxy uses it ends the proxy. */
const targetProgram = `
  require('node:http').createServer({ keepAliveTimeout: 60000 }, (request, response) => {
    request.resume()
    request.on('end', () => response.end('ok'))
  }).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })`

/** A proxy that neither buffers, records nor verifies: the minimum to compare with. */
const proxyProgram = `
  const http = require('node:http')
  const target = new URL(process.argv[1])
  const agent = new http.Agent({ keepAlive: true })
  http.createServer((request, response) => {
    const { method, url, headers } = request
    const passed = http.request({ agent, host: target.hostname, port: target.port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  }).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })`

interface Server {
  readonly url: string
  readonly child: ChildProcess
}

const children: ChildProcess[] = []

/** Starts a server whose first line of output is its address; discards the rest of its output. */
async function start(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  child.stdout.resume()
  const url = /http:\/\/[\d.]+:\d+/.exec(line.toString())?.[0]
  if (url === undefined) throw new Error(`no address in: ${line}`)
  return { url, child }
}

function startListener(target: string, folder: string): Promise<Server> {
  const env = { BANKAPI_CONFIG_DIR: folder, BANKAPI_DATA_DIR: folder, BANKAPI_WEBHOOK_SECRET: secret }
  return start([bin, 'webhooks', 'listen', '--json', '--port', '0', '--forward', target], env)
}

interface Delivery {
  readonly headers: Record<string, string>
  readonly body: string
}

/** An ordinary event, with a fresh signature as the service makes for each attempt. */
function delivery(): Delivery {
  const event_id = `evt_${randomUUID()}`
  const body = JSON.stringify({
    event_id,
    type: 'connection.active',
    created_at: '2026-05-22T10:00:00Z',
    api_version: '2026-05-22',
    livemode: false,
    data: { connection: { id: 'con_FDE_123', source: 'FDE', status: 'active', client_id: 'cli_demo' } },
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-ls-webhook-event-id': event_id,
      'x-ls-webhook-event-type': 'connection.active',
      'x-ls-webhook-timestamp': timestamp,
      'x-ls-webhook-signature': signature,
    },
  }
}

async function send(pool: Pool): Promise<void> {
  const { headers, body } = delivery()
  const answer = await pool.request({ method: 'POST', path: '/', headers, body })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`answered ${answer.statusCode}`)
}

/** Deliveries per second from `senders` senders, each of which waits for its answer. */
async function throughput(url: string, senders: number, seconds: number): Promise<number> {
  const pool = new Pool(url, { connections: senders })
  let done = 0
  const end = performance.now() + seconds * 1000
  const sender = async () => {
    while (performance.now() < end) {
      await send(pool)
      done++
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: senders }, sender))
  const elapsed = (performance.now() - started) / 1000
  await pool.close()
  return done / elapsed
}

/** Median milliseconds per delivery, sent one at a time. */
async function latency(url: string, seconds: number): Promise<number> {
  const pool = new Pool(url, { connections: 1 })
  const times: number[] = []
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    const started = performance.now()
    await send(pool)
    times.push(performance.now() - started)
  }
  await pool.close()
  return median(times)
}

/** Milliseconds of processor time that a process has used. */
function processorTime({ child }: Server): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  // User and system time, in ticks of 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Resident memory in kilobytes after each tenth of the deliveries. */
async function memory({ url, child }: Server, deliveries: number): Promise<number[]> {
  const pool = new Pool(url, { connections: 32 })
  const sizes: number[] = []
  for (let tenth = 0; tenth < 10; tenth++) {
    let left = deliveries / 10
    await Promise.all(
      Array.from({ length: 32 }, async () => {
        while (left-- > 0) await send(pool)
      }),
    )
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
    sizes.push(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]))
  }
  await pool.close()
  return sizes
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      senders: { type: 'string', default: '32' },
      memory: { type: 'string' },
    },
  })
  const seconds = Number(values.seconds)
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-bench-'))
  try {
    const target = await start(['-e', targetProgram])
    const proxy = await start(['-e', proxyProgram, target.url])
    const listener = await startListener(target.url, folder)
    for (const { url } of [proxy, listener]) await throughput(url, 8, 1)

    const rates = { proxy: [] as number[], listener: [] as number[] }
    const costs = { proxy: [] as number[], listener: [] as number[] }
    const times = { direct: [] as number[], proxy: [] as number[], listener: [] as number[] }
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const name of ['proxy', 'listener'] as const) {
        const server = { proxy, listener }[name]
        const before = processorTime(server)
        const rate = await throughput(server.url, Number(values.senders), seconds)
        rates[name].push(rate)
        costs[name].push(((processorTime(server) - before) * 1000) / (rate * seconds))
      }
      times.direct.push(await latency(target.url, seconds / 3))
      times.proxy.push(await latency(proxy.url, seconds / 3))
      times.listener.push(await latency(listener.url, seconds / 3))
    }
    // Compared within a round, in which other work on the machine slowed both.
    const ratio = median(rates.listener.map((rate, round) => rate / (rates.proxy[round] ?? 0)))
    const added = (name: 'proxy' | 'listener') => (median(times[name]) - median(times.direct)).toFixed(2)
    say(`throughput, deliveries/s:      proxy ${shown(rates.proxy)}   listener ${shown(rates.listener)}`)
    say(`median of listener / proxy:    ${ratio.toFixed(2)} (goal: 0.50)`)
    say(`processor time of each, µs:    proxy ${shown(costs.proxy)}   listener ${shown(costs.listener)}`)
    say(`added median latency, ms:      proxy ${added('proxy')}   listener ${added('listener')}`)
    if (ratio < 0.5) process.exitCode = 1
    if (values.memory !== undefined) {
      const sizes = await memory(listener, Number(values.memory))
      say(
        `memory over ${values.memory} deliveries, MB: ${sizes.map((size) => Math.round(size / 1024)).join(' ')}`,
      )
      // Caches are filled after three tenths; only a leak grows after that.
      const [warm = 0, last = 0] = [sizes[2], sizes.at(-1)]
      if (last > warm * 1.25) process.exitCode = 1
    }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

function shown(values: number[]): string {
  const whole = values.map(Math.round)
  return `${Math.round(median(values))} (${Math.min(...whole)}–${Math.max(...whole)})`
}

await run(process.argv.slice(3))
