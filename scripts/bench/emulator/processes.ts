/** Starts the built emulator and the bare server as separate processes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface RunningServer {
  readonly port: number
  /** Milliseconds from spawn to the ready line. */
  readonly readyAfter: number
  /** Milliseconds of processor time used so far; undefined except on Linux. */
  processorTime(): number | undefined
  stop(): Promise<void>
}

export interface BuiltEmulator extends RunningServer {
  readonly key: string
}

const bin = fileURLToPath(new URL('../../../bin/run.js', import.meta.url))
const bare = fileURLToPath(new URL('./bare-server.ts', import.meta.url))
/** Unit of the times in /proc/PID/stat; the same on every Linux. */
const ticksPerSecond = 100

/** `bankapi emulator start` over the data in `home` (see `dataDirOf`), or in memory. */
export async function startBuilt(home: string, flags: readonly string[] = []): Promise<BuiltEmulator> {
  const words = [bin, 'emulator', 'start', '--json', '--port', '0', '--live-port', '0', ...flags]
  const env = { PATH: process.env['PATH'], HOME: home, BANKAPI_DATA_DIR: home }
  const { line, ...server } = await started(words, env)
  const { sandbox } = JSON.parse(line) as { sandbox: { base_url: string; api_key: string } }
  return { ...server, port: Number(new URL(sandbox.base_url).port), key: sandbox.api_key }
}

/** The built emulator's data folder when BANKAPI_DATA_DIR is `home`. */
export function dataDirOf(home: string): string {
  return join(home, 'emulator')
}

export function dataFileOf(home: string): string {
  return join(dataDirOf(home), 'emulator.db')
}

export async function startBare(home: string): Promise<RunningServer> {
  const { line, ...server } = await started([bare, dataFileOf(home)], process.env)
  return { ...server, port: Number(line) }
}

async function started(words: readonly string[], env: NodeJS.ProcessEnv) {
  const begun = performance.now()
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const early = new AbortController()
  child.once('exit', () => early.abort(new Error(`${words.join(' ')} ended early`)))
  const [line] = (await once(createInterface(child.stdout), 'line', { signal: early.signal })) as [string]
  const readyAfter = performance.now() - begun
  return { line, readyAfter, processorTime: () => processorTimeOf(child), stop: () => stop(child) }
}

function processorTimeOf({ pid }: ChildProcess): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
  } catch {
    return undefined
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
}
