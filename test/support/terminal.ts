/**
 * Runs a command in a real pseudo-terminal of a given size, with a terminal emulator to read its screen and keys to type.
 *
 *     const terminal = openTerminal(shell, 'bankapi connections delete con_FDE_123')
 *     await terminal.sees('Delete con_FDE_123')
 *     terminal.type('n\r')
 *     expect((await terminal.ended).code).toBe(2)
 */
import pty from '@lydell/node-pty'
import xterm from '@xterm/headless'
import { onTestFinished } from 'vitest'
import type { Shell } from './shell.ts'

export interface TerminalOptions {
  readonly columns?: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
}

export interface Screen {
  readonly code: number
  /** The lines at the end, including those that scrolled away. */
  readonly screen: string
  /** Every byte the command wrote. */
  readonly raw: string
  /** Lines that the terminal had to wrap, as a program wrote more than fits; each from where it wrapped. */
  readonly wrapped: readonly string[]
}

export interface OpenTerminal {
  readonly pid: number
  type(keys: string): void
  /** Resolves when the screen shows the text; rejects when the command ends first, or after 20 s. */
  sees(text: string | RegExp): Promise<void>
  /** The current screen. */
  screen(): Promise<string>
  readonly ended: Promise<Screen>
}

/** Keys by name. */
export const keys = { enter: '\r', ctrlC: '\u0003', down: '\u001b[B', space: ' ' } as const

/** Opens a terminal that is closed after the test. Long output is not paged unless `env` says so. */
export function openTerminal(shell: Shell, line: string, options: TerminalOptions = {}): OpenTerminal {
  const { columns: cols = 100, rows = 30, env } = options
  const display = new xterm.Terminal({
    cols,
    rows,
    scrollback: 5000,
    allowProposedApi: true,
    logLevel: 'off',
  })
  const child = pty.spawn('sh', ['-c', line], {
    name: 'xterm-256color',
    cols,
    rows,
    cwd: shell.folder,
    env: { ...shell.env, PAGER: 'cat', ...env },
  })
  let raw = ''
  let over = false
  child.onData((data) => {
    raw += data
    display.write(data)
  })
  const screen = async () => {
    await new Promise<void>((resolve) => display.write('', resolve))
    const { active } = display.buffer
    const lines = Array.from({ length: active.length }, (_, at) =>
      active.getLine(at)?.translateToString(true),
    )
    return lines.join('\n').trimEnd()
  }
  const wrapped = () => {
    const { active } = display.buffer
    return Array.from({ length: active.length }, (_, at) => active.getLine(at)).flatMap((line) =>
      line?.isWrapped ? [line.translateToString(true)] : [],
    )
  }
  const ended = new Promise<Screen>((resolve) => {
    child.onExit(async ({ exitCode }) => {
      over = true
      resolve({ code: exitCode, screen: await screen(), raw, wrapped: wrapped() })
    })
  })
  onTestFinished(() => {
    if (!over) child.kill('SIGKILL')
  })
  return {
    pid: child.pid,
    type: (text) => child.write(text),
    screen,
    ended,
    async sees(text) {
      const deadline = Date.now() + 20_000
      const isThere = (shown: string) => (typeof text === 'string' ? shown.includes(text) : text.test(shown))
      for (;;) {
        const last = over
        const shown = await screen()
        if (isThere(shown)) return
        if (last || Date.now() > deadline) throw new Error(`The screen never showed ${text}:\n${shown}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
  }
}
