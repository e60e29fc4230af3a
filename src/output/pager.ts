/** Long text for people goes through a pager, as gh does it. */
import type { Writable } from 'node:stream'
import { writeText } from './sink.ts'

export interface PagerOptions {
  readonly stdout: Writable
  /** Whether stdout is a terminal; in a pipe nothing is paged. */
  readonly tty: boolean
  /** Rows of the terminal; below 1 means unknown, and then nothing is paged. */
  readonly height: number
  /** Columns of the terminal: a line longer than it takes several rows. */
  readonly width: number
  /** What the user set as their pager. */
  readonly command?: unknown
  /** Looked at for the pager, and given to it. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Writes text to stdout, through `$BANKAPI_PAGER`, the pager set, `$PAGER` or `less` when it is longer than the terminal is
 * high. The pager is a shell command line; empty or `cat` means none. Without LESS in the environment less gets
 * `FRX`. A pager that cannot be started is done without; one that is quit early is no error.
 */
export async function writePaged(text: string, options: PagerOptions): Promise<void> {
  const command = pagerCommand(options)
  const paged = command !== undefined && isTall(text, options)
  if (!paged || !(await throughPager(text, command, options.env))) {
    await writeText(options.stdout, text)
  }
}

const usual = 'less'

function pagerCommand({ env, command: set }: PagerOptions): string | undefined {
  const given = env['BANKAPI_PAGER'] ?? (typeof set === 'string' ? set : env['PAGER'])
  const command = (given ?? usual).trim()
  return command === '' || command === 'cat' ? undefined : command
}

function isTall(text: string, { tty, height, width }: PagerOptions): boolean {
  if (!tty || height < 1) return false
  let rows = 0
  let from = 0
  while (from < text.length && rows < height) {
    const end = text.indexOf('\n', from)
    const length = (end === -1 ? text.length : end) - from
    // An estimate that colours make larger: at worst less is started and, told F, ends at once.
    rows += Math.max(1, Math.ceil(length / Math.max(1, width)))
    from += length + 1
  }
  return rows >= height
}

/** What a shell exits with for a command it cannot run or cannot find. */
const notStarted = new Set([126, 127])

/** @returns false when the pager could not be started and nothing was shown */
async function throughPager(text: string, command: string, env: PagerOptions['env']): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve) => {
    const pager = spawn(command, {
      // Without a shell for the default: that less is not there is nothing to tell anybody.
      shell: command !== usual,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...env, LESS: env['LESS'] ?? 'FRX', LV: env['LV'] ?? '-c' },
    })
    pager.once('error', () => resolve(false))
    pager.once('close', (code) => resolve(code === null || !notStarted.has(code)))
    // Quit before the end: the rest of the text is no longer wanted.
    pager.stdin.on('error', () => undefined)
    pager.stdin.end(text)
  })
}
