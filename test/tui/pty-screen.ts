/** A program on a pseudo-terminal, and the screen it draws, read through a terminal emulator. */
import { createRequire } from 'node:module'
import { spawn } from '@lydell/node-pty'
import type * as Xterm from '@xterm/headless'

// Its CommonJS does not name its exports in a way that Node's import finds.
const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof Xterm

export interface PtyScreen {
  readonly pid: number
  /** The lines as a user sees them, without spaces at their ends. */
  lines(): string[]
  text(): string
  /** Whether the alternate screen is up. */
  isAlternate(): boolean
  /** Everything that was written, control sequences included. */
  output(): string
  type(keys: string): void
  resize(columns: number, lines: number): void
  /** Resolves with the text once it fits, in milliseconds of `performance.now()`; rejects after `ms`. */
  until(fits: (text: string) => boolean, what: string, ms?: number): Promise<number>
  kill(signal?: string): void
  readonly exited: Promise<{ exitCode: number; signal?: number | undefined }>
}

export interface PtyOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly columns: number
  readonly lines: number
}

export function openPty({ command, args, env, columns, lines: rows }: PtyOptions): PtyScreen {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 })
  const child = spawn(command, [...args], {
    cols: columns,
    rows,
    env: { TERM: 'xterm-256color', ...env },
    name: 'xterm-256color',
  })
  let output = ''
  const watchers = new Set<() => void>()
  child.onData((data) => {
    output += data
    terminal.write(data, () => {
      for (const watch of watchers) watch()
    })
  })
  const exited = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) => {
    child.onExit((exit) => terminal.write('', () => resolve(exit)))
  })
  const lines = () => {
    const { active } = terminal.buffer
    return Array.from(
      { length: terminal.rows },
      (_, index) =>
        active
          .getLine(active.viewportY + index)
          ?.translateToString(true)
          .trimEnd() ?? '',
    )
  }
  const text = () => lines().join('\n')
  return {
    pid: child.pid,
    lines,
    text,
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    output: () => output,
    type: (keys) => child.write(keys),
    resize(newColumns, newLines) {
      terminal.resize(newColumns, newLines)
      child.resize(newColumns, newLines)
    },
    until: (fits, what, ms = 15_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(watch)
          reject(new Error(`not seen in ${ms} ms: ${what}\n${text()}`))
        }, ms)
        const watch = () => {
          if (!fits(text())) return
          clearTimeout(timer)
          watchers.delete(watch)
          resolve(performance.now())
        }
        watchers.add(watch)
        watch()
      }),
    kill: (signal) => child.kill(signal),
    exited,
  }
}
