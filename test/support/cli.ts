/** Runs the built `bankapi` as a user does: as a process, with its own home folder. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { bin } from './built-program.ts'

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  /** Input on stdin; empty by default. */
  readonly input?: string | Uint8Array | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

export interface Home {
  /** The temporary folder of everything that is written in this home. */
  readonly folder: string
  /** The environment of its processes. */
  readonly env: Readonly<Record<string, string>>
  /** Runs `bankapi` to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>
  /** Runs `bankapi … --json`, expects exit code 0 and returns what it printed. */
  json<T = unknown>(args: readonly string[], options?: RunOptions): Promise<T>
  /** Starts `bankapi` and leaves it running; it is killed when its home is removed. */
  start(args: readonly string[], options?: RunOptions): Started
  /** Ends all running processes and removes the folder. */
  remove(): Promise<void>
}

export interface Started {
  readonly process: ChildProcessWithoutNullStreams
  /** Its output so far. */
  stdout(): string
  stderr(): string
  /** The first line of stdout that the test accepts; rejects when the process ends first, or after 20 s. */
  line(accept?: (line: string) => boolean): Promise<string>
  readonly ended: Promise<Run>
}

/** The words that start `bankapi`: of the built program, or of an executable that the whole suite is to be run with. */
const executable = process.env['BANKAPI_TEST_EXECUTABLE']
const builtProgram = executable === undefined ? [process.execPath, bin] : [executable]

export interface HomeOptions {
  readonly keep?: boolean
  readonly env?: Record<string, string>
  /** The words that start `bankapi`. */
  readonly program?: readonly string[]
}

/** A home that is removed after the current test or, with `keep`, by the caller. */
export function createHome(options: HomeOptions = {}): Home {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-home-'))
  const running = new Set<Started>()
  const { program = builtProgram } = options
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    BANKAPI_CONFIG_DIR: join(folder, 'config'),
    BANKAPI_DATA_DIR: join(folder, 'data'),
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(tmpdir(), 'bankapi-test-cache'),
    TZ: 'UTC',
    ...options.env,
  }
  const start = (args: readonly string[], { input, env: more }: RunOptions = {}): Started => {
    const started = launch([...program, ...args], { ...env, ...more })
    if (input === undefined) started.process.stdin.end()
    else started.process.stdin.end(input)
    running.add(started)
    void started.ended.then(() => running.delete(started))
    return started
  }
  const home: Home = {
    folder,
    env,
    start,
    run: (args, more) => start(args, more).ended,
    async json(args, more) {
      const { code, stdout, stderr } = await home.run([...args, '--json'], more)
      if (code !== 0) throw new Error(`bankapi ${args.join(' ')} ended with ${code}: ${stderr}`)
      return JSON.parse(stdout)
    },
    async remove() {
      for (const { process: child } of running) child.kill('SIGKILL')
      await Promise.all([...running].map(({ ended }) => ended))
      rmSync(folder, { recursive: true, force: true })
    },
  }
  if (!options.keep) onTestFinished(() => home.remove())
  return home
}

function launch(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Started {
  const child = spawn(command, args, { env, stdio: 'pipe' })
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    for (const look of waiting) look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.on('error', () => {})
  const ended = new Promise<Run>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
  return {
    process: child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    line(accept = () => true) {
      return new Promise((resolve, reject) => {
        const done = (settle: () => void) => {
          clearTimeout(timer)
          waiting.delete(look)
          settle()
        }
        const look = () => {
          const found = stdout.split('\n').slice(0, -1).find(accept)
          if (found !== undefined) done(() => resolve(found))
        }
        const fail = (why: string) => done(() => reject(new Error(`${why}: ${stdout}\n${stderr}`)))
        const timer = setTimeout(() => fail(`${args.join(' ')} printed no such line in 20 s`), 20_000)
        waiting.add(look)
        void ended.then(({ code }) => fail(`${args.join(' ')} ended with ${code} before that line`))
        look()
      })
    },
  }
}
