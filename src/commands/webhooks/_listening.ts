/** Runs a listener until it is stopped, with its events as lines for people or as one JSON object per line on stdout. */
import { untilStopped } from '../../cli/terminal/interrupt.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { ListenerEvent } from '../../listener/events.ts'
import type { Listener } from '../../listener/listener.ts'
import { loadPaint } from '../../output/palette.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import { portError } from './_listener.ts'
import { keepRunningUnwritten } from './_listener-output.ts'

/** Writes the lines of one turn of the event loop at once: each write to a pipe waits for the system. */
export class Lines {
  readonly #stdout: NodeJS.WriteStream
  readonly #lines: string[] = []

  constructor({ stdout }: Pick<Terminal, 'stdout'>) {
    this.#stdout = stdout
  }

  print(...lines: readonly string[]): void {
    if (lines.length === 0) return
    if (this.#lines.length === 0) setImmediate(() => this.flush())
    this.#lines.push(...lines)
  }

  flush(): void {
    const lines = this.#lines.splice(0)
    if (lines.length > 0) this.#stdout.write(`${lines.join('\n')}\n`)
  }
}

export interface Listening {
  readonly listener: Listener
  readonly terminal: Terminal
  readonly lines: Lines
  /** One object per line instead of lines for people. */
  readonly json: boolean
  /** Times of a terminal in UTC. */
  readonly utc: boolean
  readonly signal: AbortSignal
  readonly onWarning: (warning: string) => void
  /** The signing secret to print with the ready line; undefined for none. */
  readonly shownSecret?: (() => string | undefined) | undefined
  /** What to do while it listens; it ends the listening when it rejects. */
  readonly meanwhile?: (stopped: AbortSignal) => Promise<void>
}

/** Rejects when the port cannot be used, and when the socket is lost. */
export async function listenAsLines(listening: Listening): Promise<void> {
  const { listener, terminal, lines, json, utc, signal, onWarning, shownSecret, meanwhile } = listening
  const { textLines, jsonObject } = await import('../../listener/lines.ts')
  const linesOf = terminal.stdout.isTTY
    ? (await import('./_terminal-lines.ts')).createTerminalLines({
        paint: await loadPaint(terminal.color, 'stdout'),
        width: () => terminal.stdout.columns || terminal.width,
        zone: { utc },
      })
    : (event: ListenerEvent) => textLines(event, { safe: safeText })
  const stopKeeping = keepRunningUnwritten(terminal, ({ message }) =>
    onWarning(`stdout cannot be written (${message}): lines are dropped, the listener goes on`),
  )
  const lost = Promise.withResolvers<never>()
  lost.promise.catch(() => {})
  listener.subscribe((event) => {
    if (event.kind === 'error' && event.fatal) lost.reject(event.error)
    // stdout has one object per delivery, so an error goes to stderr.
    else if (event.kind === 'error' && json) onWarning(event.error.message)
    const secret = event.kind === 'ready' ? shownSecret?.() : undefined
    if (!json) {
      const also = secret === undefined ? [] : [`  signing secret  ${safeText(secret)}`]
      lines.print(...linesOf(event), ...also)
      return
    }
    const object = jsonObject(event)
    if (object === undefined) return
    lines.print(safeJson(secret === undefined ? object : { ...object, signing_secret: secret }))
  })
  const stop = new AbortController()
  let working: Promise<void> | undefined
  try {
    await listener.start().catch((error: unknown) => {
      throw portError(error)
    })
    working = meanwhile?.(stop.signal)
    working?.catch((error: unknown) => lost.reject(error as Error))
    await untilStopped(signal, lost.promise)
  } finally {
    stop.abort()
    await working?.catch(() => undefined)
    await listener.close()
    lines.flush()
    // The stream reports what it could not write in a later turn.
    await new Promise(setImmediate)
    stopKeeping()
  }
}
