/**
 * For a test file: one emulator for all of its tests, reset before each, and a shell whose `bankapi` uses it.
 *
 *     const emulator = emulatorShell()
 *     it('…', async () => expect(await emulator.transcript('bankapi health')).toMatchInlineSnapshot())
 */
import { beforeEach } from 'vitest'
import type { Run, RunOptions } from './cli.ts'
import { type EmulatorHome, emulatorHome } from './emulator-process.ts'
import { createShell, portable, type Shell } from './shell.ts'
import { type OpenTerminal, openTerminal, type TerminalOptions } from './terminal.ts'

export interface EmulatorShell {
  /** The home of the current test. */
  readonly home: EmulatorHome
  readonly shell: Shell
  run(line: string, options?: RunOptions): Promise<Run>
  /** Runs a line and returns its stdout, trimmed; throws when it fails. */
  text(line: string, options?: RunOptions): Promise<string>
  transcript(...lines: readonly string[]): Promise<string>
  /** Runs the line in a pseudo-terminal. */
  open(line: string, options?: TerminalOptions): OpenTerminal
  /** The text of a terminal after the line, portable, with the exit code unless it is 0. */
  screen(line: string, options?: TerminalOptions): Promise<string>
}

/** `flags` are those of `emulator start`. */
export function emulatorShell(flags: readonly string[] = []): EmulatorShell {
  const home = emulatorHome(flags)
  let shell: Shell
  beforeEach(() => {
    shell = createShell(home)
  })
  return {
    home,
    get shell() {
      return shell
    },
    run: (line, options) => shell.run(line, options),
    async text(line, options) {
      const { code, stdout, stderr } = await shell.run(line, options)
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`)
      return stdout.trim()
    },
    transcript: (...lines) => shell.transcript(...lines),
    open: (line, options) => openTerminal(shell, line, options),
    async screen(line, options) {
      const { code, screen } = await openTerminal(shell, line, options).ended
      const shown = portable(screen, home.folder)
      return `\n$ ${line}\n${shown}\n${code === 0 ? '' : `[exit ${code}]\n`}`
    },
  }
}
