/**
 * For a test file: one emulator for all of its tests, and a shell whose `bankapi` uses it.
 *
 *     const emulator = emulatorShell()
 *     it('…', async () => expect(await emulator.transcript('bankapi health')).toMatchInlineSnapshot())
 */
import { afterAll, beforeAll } from 'vitest'
import type { Run, RunOptions } from './cli.ts'
import { createEmulatorHome, type EmulatorHome } from './emulator-process.ts'
import { createShell, portable, type Shell } from './shell.ts'
import { type OpenTerminal, openTerminal, type TerminalOptions } from './terminal.ts'

export interface EmulatorShell {
  /** There once the first test runs. */
  readonly home: EmulatorHome
  readonly shell: Shell
  run(line: string, options?: RunOptions): Promise<Run>
  /** What a line prints on stdout, trimmed; throws when it fails. */
  text(line: string, options?: RunOptions): Promise<string>
  transcript(...lines: readonly string[]): Promise<string>
  /** Opens a pseudo-terminal with the line in it. */
  open(line: string, options?: TerminalOptions): OpenTerminal
  /** What a terminal shows after the line, portable, and the exit code unless 0. */
  screen(line: string, options?: TerminalOptions): Promise<string>
}

/** Started before the first test of the file and gone after the last one. `flags` are those of `emulator start`. */
export function emulatorShell(flags: readonly string[] = []): EmulatorShell {
  let started: { readonly home: EmulatorHome; readonly shell: Shell } | undefined
  const current = () => {
    if (started === undefined) throw new Error('the emulator is there only while tests run')
    return started
  }
  beforeAll(async () => {
    const home = await createEmulatorHome(flags)
    started = { home, shell: createShell(home) }
  })
  afterAll(() => started?.home.remove())
  return {
    get home() {
      return current().home
    },
    get shell() {
      return current().shell
    },
    run: (line, options) => current().shell.run(line, options),
    async text(line, options) {
      const { code, stdout, stderr } = await current().shell.run(line, options)
      if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`)
      return stdout.trim()
    },
    transcript: (...lines) => current().shell.transcript(...lines),
    open: (line, options) => openTerminal(current().shell, line, options),
    async screen(line, options) {
      const { code, screen } = await openTerminal(current().shell, line, options).ended
      const shown = portable(screen, current().home.folder)
      return `\n$ ${line}\n${shown}\n${code === 0 ? '' : `[exit ${code}]\n`}`
    },
  }
}
