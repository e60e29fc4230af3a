/** Records what terminals show, one above the other, as frames; and runs command lines in a shell as somebody who types them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { openPty, type PtyScreen } from '../../test/tui/pty-screen.ts'
import { type Line, readLines } from './cells.ts'
import type { Frame } from './svg.ts'

/** A wait of the program is shown this long at most. */
const MAX_WAIT_MS = 700
const KEY_MS = 32

export interface Film {
  /** What is shown now. */
  lines(): readonly Line[]
  /** Ends the recording. */
  end(): readonly Frame[]
  /** What is shown now stays for so long. */
  hold(ms: number): void
}

/** Records from now on. `cursor` is shown in the last of the screens. */
export function record(screens: readonly PtyScreen[], cursor = true): Film {
  const frames: { ms: number; readonly lines: readonly Line[] }[] = []
  let since = performance.now()
  let ended = false
  const lines = () =>
    screens.flatMap((screen, at) => readLines(screen.terminal, cursor && at === screens.length - 1))
  const take = () => {
    if (ended) return
    const now = performance.now()
    const last = frames.at(-1)
    if (last !== undefined) last.ms += Math.min(now - since, MAX_WAIT_MS)
    since = now
    const shown = lines()
    // What is replaced at once was never seen.
    if (last !== undefined && last.ms < KEY_MS / 2) frames.pop()
    frames.push({ ms: 0, lines: shown })
  }
  for (const screen of screens) screen.onChange(take)
  take()
  return {
    lines,
    end() {
      ended = true
      return frames
    },
    hold(ms) {
      take()
      const last = frames.at(-1)
      if (last !== undefined) last.ms += ms
    },
  }
}

export interface ShellScreen extends PtyScreen {
  /** Types a line and sends it. */
  enter(line: string): Promise<void>
  /** Leaves the prompt alone on the screen. */
  clear(): Promise<void>
  /** Resolves once there is another prompt. */
  prompted(): Promise<void>
}

/** Marks the end of each prompt, and shows nothing. */
const mark = { code: 133, sequence: '\u001b]133;B\u0007' }

export interface ShellOptions {
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly columns: number
  readonly lines: number
  /** Key by key, as somebody types; else at once. */
  readonly slowly: boolean
}

export async function openShell(options: ShellOptions): Promise<ShellScreen> {
  const { env, columns, lines, slowly } = options
  const screen = openPty({
    command: 'bash',
    args: ['--norc', '--noprofile', '-i'],
    cwd: options.folder,
    env: {
      ...env,
      PS1: `\\[\\e[1;36m\\]$\\[\\e[0m\\] \\[${mark.sequence}\\]`,
      HISTFILE: '',
      BASH_SILENCE_DEPRECATION_WARNING: '1',
    },
    columns,
    lines,
  })
  let prompts = 0
  screen.terminal.parser.registerOscHandler(mark.code, () => ++prompts > 0)
  let seen = 0
  const prompted = async () => {
    seen++
    await screen.until(() => prompts >= seen, `prompt ${seen}`, 30_000)
  }
  await prompted()
  return {
    ...screen,
    prompted,
    async clear() {
      screen.type('\f')
      await prompted()
    },
    async enter(line) {
      for (const key of slowly ? line : [line]) {
        screen.type(key)
        if (slowly) await sleep(key === ' ' ? KEY_MS * 2 : KEY_MS)
      }
      await screen.until((text) => text.includes(line.slice(-20)), line)
      if (slowly) await sleep(300)
      screen.type('\r')
    },
  }
}
