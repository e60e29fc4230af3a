/** Runs a program on a pseudo-terminal and reads its screen through a terminal emulator. */
import { createRequire } from 'node:module'
import { spawn } from '@lydell/node-pty'
import type * as Xterm from '@xterm/headless'

// Node's import does not find the exports of this CommonJS package.
const { Terminal } = createRequire(import.meta.url)('@xterm/headless') as typeof Xterm

export interface PtyScreen {
  readonly pid: number
  readonly terminal: Xterm.Terminal
  /** The visible lines, without trailing spaces. */
  lines(): string[]
  text(): string
  /** True while the alternate screen is shown. */
  isAlternate(): boolean
  /** All output, including control sequences. */
  output(): string
  type(keys: string): void
  resize(columns: number, lines: number): void
  /** Called after each change of the screen. */
  onChange(listener: () => void): void
  /** Resolves with `performance.now()` when the text of the screen matches; rejects after `ms`. */
  until(matches: (text: string) => boolean, what: string, ms?: number): Promise<number>
  kill(signal?: string): void
  readonly exited: Promise<{ exitCode: number; signal?: number | undefined }>
}

export interface PtyOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly columns: number
  readonly lines: number
}

export function openPty({ command, args, env, cwd, columns, lines: rows }: PtyOptions): PtyScreen {
  const terminal = new Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 })
  const child = spawn(command, [...args], {
    cols: columns,
    rows,
    ...(cwd === undefined ? {} : { cwd }),
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
    terminal,
    onChange: (listener) => void watchers.add(listener),
    lines,
    text,
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    output: () => output,
    type: (keys) => child.write(keys),
    resize(newColumns, newLines) {
      terminal.resize(newColumns, newLines)
      child.resize(newColumns, newLines)
    },
    until: (matches, what, ms = 15_000) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          watchers.delete(watch)
          reject(new Error(`not seen in ${ms} ms: ${what}\n${text()}`))
        }, ms)
        const watch = () => {
          if (!matches(text())) return
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
