/** Mounts the screen on a terminal. */
import { render } from 'ink'
import type { State } from '../state/model.ts'
import { Colors } from './line.tsx'
import { Screen } from './screen.tsx'

export interface Terminal {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly color: boolean
}

export interface Mounted {
  draw(state: State): void
  /** Restores the terminal. May be called twice. */
  unmount(): void
  /** Rejects when drawing failed; resolves after `unmount`. */
  readonly ended: Promise<unknown>
}

/** Switches to the alternate screen and raw input. */
export function mountScreen(
  { stdin, stdout, stderr, color }: Terminal,
  state: State,
  onKey: (key: string) => void,
): Mounted {
  const screen = (shown: State) => (
    <Colors value={color}>
      <Screen state={shown} onKey={onKey} />
    </Colors>
  )
  // Ink sets raw mode only after its first frame: until then a key would be echoed, and Ctrl-C be a signal.
  stdin.setRawMode(true)
  const instance = render(screen(state), {
    stdin,
    stdout,
    stderr,
    alternateScreen: true,
    // The caller has checked for a terminal; Ink's own CI detection would draw nothing in some of them.
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    // The caller of draw() limits the rate already; a second limit would only add delay.
    maxFps: 120,
  })
  return {
    draw: (next) => instance.rerender(screen(next)),
    unmount: () => instance.unmount(),
    ended: instance.waitUntilExit(),
  }
}
