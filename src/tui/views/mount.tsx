/** The screen on a terminal. */
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
  /** Gives the terminal back as it was. May be called twice. */
  unmount(): void
  /** Rejects when drawing failed; resolves after `unmount`. */
  readonly ended: Promise<unknown>
}

/** Takes the alternate screen and the keys. */
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
  // Ink asks for it only after its first frame: a key pressed until then would be the terminal's, Ctrl-C a signal.
  stdin.setRawMode(true)
  const instance = render(screen(state), {
    stdin,
    stdout,
    stderr,
    alternateScreen: true,
    // Only called for a terminal that is one; Ink's own look at CI would draw nothing in some of them.
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    incrementalRendering: true,
    // Whoever calls draw() coalesces; a second throttle would only add its delay.
    maxFps: 120,
  })
  return {
    draw: (next) => instance.rerender(screen(next)),
    unmount: () => instance.unmount(),
    ended: instance.waitUntilExit(),
  }
}
