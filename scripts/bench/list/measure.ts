/** Measures a process that prints rows. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Measured {
  readonly rows: number
  /** Milliseconds from start to exit. */
  readonly ms: number
  readonly peakKilobytes: number
  /** Processor time of the process, which other work on the machine disturbs less than elapsed time. */
  readonly processorMs: number
}

const peakAtExit = fileURLToPath(new URL('./peak-at-exit.mjs', import.meta.url))

/**
 * Runs Node with these arguments, counts the lines it prints, and reads its peak memory at its end. `onOutput` gets what it
 * prints.
 */
export async function measure(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onOutput?: (chunk: Buffer) => void,
): Promise<Measured> {
  const started = performance.now()
  const child = spawn(process.execPath, ['--import', peakAtExit, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  })
  let rows = 0
  let used = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    onOutput?.(chunk)
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) rows += 1
  })
  child.stdio[3]?.on('data', (chunk: Buffer) => {
    used += chunk.toString()
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`)
  const [peakKilobytes = Number.NaN, processorMs = Number.NaN] = used.split(' ').map(Number)
  return { rows, ms: performance.now() - started, peakKilobytes, processorMs }
}
