/** Times a process from outside. */
import { spawnSync } from 'node:child_process'
import { openPty } from '../../../test/tui/pty-screen.ts'

/** Milliseconds from the start to the end of Node with these arguments. @throws when it fails. */
export function untilEnd(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ms = performance.now() - started
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return ms
}

/** Milliseconds from the start until a terminal shows `text`. The program is then quit, so that it writes its caches. */
export async function untilShown(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  text: string,
): Promise<number> {
  const started = performance.now()
  const screen = openPty({ command: process.execPath, args, env, columns: 100, lines: 30 })
  const shown = await screen.until((content) => content.includes(text), text)
  screen.type('q')
  await screen.exited
  return shown - started
}
