/** Shows long text in a pager, as gh does. */
import type { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { writeText } from './sink.ts'

export interface PagerOptions {
  readonly stdout: Writable
  /** Rows of the terminal; below 1 means unknown, and then nothing is paged. */
  readonly height: number
  /** Columns of the terminal: a line longer than it takes several rows. */
  readonly width: number
  /** The pager of the settings. */
  readonly command?: unknown
  /** Read for the pager, and passed on to it. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * Writes text to a terminal, through `$BANKAPI_PAGER`, the pager of the settings, `$PAGER` or `less` when it is longer than the
 * terminal is high. The pager is a shell command line; empty or `cat` means none. Without LESS in the environment less gets
 * `FRX`. Without a pager that starts, the text is printed; quitting the pager early is no error.
 */
export async function writePaged(text: string, options: PagerOptions): Promise<void> {
  const command = pagerCommand(options)
  const paged = command !== undefined && isTall(text, options)
  if (!paged || !(await throughPager(text, command, options.env))) {
    await writeText(options.stdout, text)
  }
}

const defaultPager = 'less'

function pagerCommand({ env, command: set }: PagerOptions): string | undefined {
  const given = env['BANKAPI_PAGER'] ?? (typeof set === 'string' ? set : env['PAGER'])
  const command = (given ?? defaultPager).trim()
  return command === '' || command === 'cat' ? undefined : command
}

function isTall(text: string, { height, width }: PagerOptions): boolean {
  if (height < 1) return false
  let rows = 0
  let from = 0
  while (from < text.length && rows < height) {
    const end = text.indexOf('\n', from)
    const line = text.slice(from, end === -1 ? text.length : end)
    const length = line.length > width ? stripVTControlCharacters(line).length : line.length
    rows += Math.max(1, Math.ceil(length / Math.max(1, width)))
    from += line.length + 1
  }
  return rows >= height
}

/** Exit codes of a shell for a command it cannot run or cannot find. */
const notStarted = new Set([126, 127])

/** @returns false when the pager could not be started and nothing was shown */
async function throughPager(text: string, command: string, env: PagerOptions['env']): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  return new Promise((resolve) => {
    const pager = spawn(command, {
      // No shell for the default: it would print an error when less is not installed.
      shell: command !== defaultPager,
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
