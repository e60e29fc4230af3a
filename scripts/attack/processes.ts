/** The built listener and emulator, their target and the attackers, as processes of their own. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Report } from './attacker.ts'
import { secret } from './deliveries.ts'

const bin = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const attacker = fileURLToPath(new URL('./attacker.ts', import.meta.url))

const running = new Set<ChildProcess>()

export function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

export interface Started {
  readonly child: ChildProcess
  /** The first line it printed. */
  readonly line: string
  /** The most that was resident, in megabytes; the last that was seen once it has ended. */
  peak(): number
  stop(signal?: NodeJS.Signals): Promise<void>
}

async function start(args: string[], env: NodeJS.ProcessEnv): Promise<Started> {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  running.add(child)
  const early = new AbortController()
  const ended = once(child, 'exit').then(() => {
    running.delete(child)
    early.abort(new Error(`${args.join(' ')} ended early`))
  })
  const lines = createInterface(child.stdout)
  const [line] = (await once(lines, 'line', { signal: early.signal })) as [string]
  lines.close()
  child.stdout.resume()
  let highest = 0
  const peak = () => {
    highest = Math.max(highest, peakOf(child))
    return highest
  }
  const watching = setInterval(peak, 50).unref()
  return {
    child,
    line,
    peak,
    async stop(signal = 'SIGINT') {
      peak()
      clearInterval(watching)
      child.kill(signal)
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(late)
    },
  }
}

/** VmHWM of /proc, in megabytes; 0 where the system does not tell. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

const environment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  BANKAPI_CONFIG_DIR: folder,
  BANKAPI_DATA_DIR: folder,
  BANKAPI_WEBHOOK_SECRET: secret,
})

export function startListener(folder: string, port: number, target: string): Promise<Started> {
  const args = ['webhooks', 'listen', '--json', '--port', String(port), '--forward', target]
  return start([bin, ...args], environment(folder))
}

export async function startEmulator(folder: string): Promise<Started & { url: string; key: string }> {
  const args = ['emulator', 'start', '--json', '--memory', '--port', '0', '--live-port', '0']
  const started = await start([bin, ...args], environment(folder))
  const { sandbox } = JSON.parse(started.line) as { sandbox: { base_url: string; api_key: string } }
  return { ...started, url: sandbox.base_url, key: sandbox.api_key }
}

/** Answers at once; at /drip with a million bytes in chunks of one. */
const targetProgram = `
  const piece = '1\\r\\nx\\r\\n'.repeat(10000)
  require('node:http').createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      if (request.url !== '/drip') return response.end('ok')
      const { socket } = response
      socket.write('HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n')
      let left = 100
      const more = () => {
        while (left-- > 0) if (!socket.write(piece)) return socket.once('drain', more)
        socket.end('0\\r\\n\\r\\n')
      }
      more()
    })
  }).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port) })`

export function startTarget(): Promise<Started> {
  return start(['-e', targetProgram], { PATH: process.env['PATH'] })
}

export async function attack(name: string, url: string, seconds: number, key = ''): Promise<Report> {
  const child = fork(attacker, [name, url, String(seconds), key], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  running.add(child)
  const [report] = (await once(child, 'message')) as [Report]
  running.delete(child)
  return report
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}
