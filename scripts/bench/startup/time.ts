/** Times a process from outside. */
import { spawnSync } from 'node:child_process'
import { openPty } from '../../../test/tui/pty-screen.ts'

/** A program and its arguments. */
export type Words = readonly [command: string, ...args: string[]]

/** Milliseconds from the start to the end of a program. @throws when it fails. */
export function untilEnd([command, ...args]: Words, env: NodeJS.ProcessEnv): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ms = performance.now() - started
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return ms
}

/** Milliseconds from the start until a terminal shows `text`. The program is then quit, so that it writes its caches. */
export async function untilShown(
  [command, ...args]: Words,
  env: Readonly<Record<string, string>>,
  text: string,
): Promise<number> {
  const started = performance.now()
  const screen = openPty({ command, args, env, columns: 100, lines: 30 })
  const shown = await screen.until((content) => content.includes(text), text)
  screen.type('q')
  await screen.exited
  return shown - started
}
