/** Runs `bankapi tui`: shows operations and deliveries live, on the screen of a terminal or as lines without one. */
import type { Inbox } from '../inbox/inbox.ts'
import type { Listener } from '../listener/listener.ts'
import { createPerformer } from './effects/perform.ts'
import { tuiEventOf, watchInbox } from './effects/sources.ts'
import type { EffectTools, Target } from './effects/tools.ts'
import { createFrames } from './frames.ts'
import { lineOf, reportsOf } from './lines.ts'
import type { Loop } from './loop.ts'
import type { TimedEvent } from './state/events.ts'
import type { About, State } from './state/model.ts'

type Given = Pick<
  EffectTools,
  'api' | 'clock' | 'signal' | 'environment' | 'safe' | 'explain' | 'openUrl' | 'reauthorize'
>

export interface TuiOptions extends Given, Omit<About, 'environment'> {
  /** The list that has the focus at the start. */
  readonly focusedList: 'operations' | 'deliveries'
  readonly inbox: Inbox
  /** Watched in addition to those in the inbox. */
  readonly operationIds?: readonly string[]
  /** Not yet started; closed at the end. Without one, only deliveries of other listeners are shown. */
  readonly listener?: Listener
  /**
   * Makes a listener that is not yet started, at any free port if its own is in use; undefined when this command starts
   * none.
   */
  readonly makeListener?: ((options: { readonly anyPort: boolean }) => Promise<Listener>) | undefined
  /** Whether one is started with the screen. */
  readonly listensItself?: boolean | undefined
  /** Types to show, `*` standing for any text. */
  readonly events?: readonly string[] | undefined
  /** The target of replays; without a route, each delivery goes to its own target. */
  readonly target?: Partial<Target>
  readonly terminal: {
    readonly stdin: NodeJS.ReadStream
    readonly stdout: NodeJS.WriteStream
    readonly stderr: NodeJS.WriteStream
    readonly color: boolean
    /** False in CI. */
    readonly interactive: boolean
  }
  /** Without a screen: NDJSON instead of lines for people. */
  readonly json: boolean
  /** Writes a sentence to stderr; used without a screen. */
  readonly warn: (sentence: string) => void
}

const noTarget: Target = {
  routes: [],
  timeoutMs: 30_000,
  insecureTls: false,
  extraHeaders: [],
  signingSecret: async () => undefined,
}

/** How long running deliveries may take when the screen closes; the service sends aborted ones again. */
const CLOSE_TIMEOUT_MS = 2000

/**
 * Shows the screen, or prints lines, until the user quits or the signal aborts.
 * @throws what starting the listener throws, before anything is shown, and what drawing throws.
 */
export async function runTui(options: TuiOptions): Promise<void> {
  const { terminal, json } = options
  const listeners: Listener[] = options.listener === undefined ? [] : [options.listener]
  const { stdin, stdout, interactive } = terminal
  const screen = interactive && !json && Boolean(stdin.isTTY && stdout.isTTY)
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const quit = () => stop.abort()

  let show: (before: State, event: TimedEvent, after: State) => void = () => {}
  const tools: EffectTools = {
    ...options,
    signal,
    target: { ...noTarget, ...options.target },
    copy: (text) => stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
    listen: () => listen(false),
    dispatch: (tuiEvent) => loop.dispatch(tuiEvent),
  }
  // A file of its own: nothing else needs it.
  const { createLoop, initialState } = await import('./loop.ts')
  const performer = createPerformer(tools, quit)
  const { environment, live, keyPrefix, utc, focusedList, clock } = options
  const loop = createLoop({
    state: initialState({
      now: clock.now(),
      columns: stdout.columns ?? 80,
      lines: stdout.rows ?? 24,
      about: { environment, live, keyPrefix, utc },
      focusedList,
    }),
    now: () => clock.now(),
    perform: performer.perform,
    onStep: (before, event, after) => show(before, event, after),
  })
  if (!screen) show = printer(options)
  const unsubscribes: (() => void)[] = []
  const start = async (listener: Listener) => {
    const unsubscribe = listener.subscribe((event) => {
      const tuiEvent = tuiEventOf(event, options.safe)
      if (tuiEvent !== undefined) loop.dispatch(tuiEvent)
      if (event.kind === 'error' && event.fatal) quit()
    })
    unsubscribes.push(unsubscribe)
    await listener.start()
  }
  /** A listener that cannot start is a notice: the screen is useful without it. */
  async function listen(byItself: boolean): Promise<void> {
    const { makeListener, safe, explain } = options
    if (makeListener === undefined) {
      return loop.dispatch({
        kind: 'not-listening',
        text: 'This screen starts no listener: bankapi tui does',
      })
    }
    loop.dispatch({ kind: 'listener-starting' })
    for (const anyPort of byItself ? [false] : [false, true]) {
      let listener: Listener | undefined
      try {
        listener = await makeListener({ anyPort })
        await start(listener)
        listeners.push(listener)
        return
      } catch (error) {
        unsubscribes.pop()?.()
        await listener?.close({ force: true })
        const { code, port } = error as NodeJS.ErrnoException & { port?: number }
        const isBusy = code === 'EADDRINUSE'
        if (isBusy && !anyPort && !byItself) continue
        const why = isBusy
          ? `Port ${port} is in use, so deliveries come from the inbox: l listens at another one`
          : `Not listening: ${await explain(error)}`
        return loop.dispatch({ kind: 'not-listening', text: safe(why) })
      }
    }
  }
  try {
    for (const listener of listeners) await start(listener)
    const { operationIds = [], events } = options
    await watchInbox({ ...tools, operationIds, events, history: screen })
    if (screen) {
      if (options.listensItself) void listen(true)
      await showScreen(options, loop, signal, (draw) => (show = draw))
    } else await aborted(signal)
  } finally {
    loop.stop()
    quit()
    for (const unsubscribe of unsubscribes) unsubscribe()
    await Promise.all([performer.close(), ...listeners.map(closeSoon)])
  }
}

/** Takes over the terminal, and restores it however the screen ends. */
async function showScreen(
  { terminal, safe }: TuiOptions,
  loop: Loop,
  signal: AbortSignal,
  onStep: (show: (before: State, event: TimedEvent) => void) => void,
): Promise<void> {
  const { loadScreen } = await import('./load-screen.ts')
  const { mountScreen } = await loadScreen(process.env)
  const { stdout, stderr } = terminal
  const resized = () =>
    loop.dispatch({ kind: 'resized', columns: stdout.columns ?? 80, lines: stdout.rows ?? 24 })
  const release = captureStrayOutput(stderr, (text) =>
    loop.dispatch({ kind: 'noticed', text: safe(text).slice(0, 500), ok: false }),
  )
  const mounted = mountScreen(terminal, loop.state, (key) => loop.dispatch({ kind: 'key', key }))
  const frames = createFrames(() => mounted.draw(loop.state))
  const restore = () => {
    frames.stop()
    stdout.off('resize', resized)
    mounted.unmount()
    release()
  }
  // Before Node prints the error, so that it appears on the normal screen.
  process.once('uncaughtExceptionMonitor', restore)
  stdout.on('resize', resized)
  onStep((_, event) => frames.request(event.kind === 'key'))
  resized()
  try {
    await Promise.race([aborted(signal), mounted.ended])
  } finally {
    process.off('uncaughtExceptionMonitor', restore)
    restore()
  }
}

/** Writes reports to stdout. A closed pipe ends the process, as for every command. */
function printer({ terminal, json, utc, warn, clock }: TuiOptions) {
  return (before: State, event: TimedEvent, after: State): void => {
    for (const report of reportsOf(before, event, after)) {
      const time = new Date(clock.now())
      const shown = utc ? `${time.toISOString().slice(11, 19)}Z` : time.toTimeString().slice(0, 8)
      terminal.stdout.write(`${json ? JSON.stringify(report) : lineOf(report, shown)}\n`)
    }
    if (event.kind === 'poll-failed') warn(`${event.id} could not be read: ${event.text}`)
    if (event.kind === 'noticed' && !event.ok) warn(event.text)
  }
}

async function closeSoon(listener: Listener): Promise<void> {
  const timer = setTimeout(() => void listener.close({ force: true }), CLOSE_TIMEOUT_MS)
  await listener.close()
  clearTimeout(timer)
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/**
 * Redirects text for stderr to a callback, because it would be written across the screen. Returns a function that
 * restores stderr. Does nothing when stderr is not a terminal.
 */
function captureStrayOutput(stderr: NodeJS.WriteStream, onText: (text: string) => void): () => void {
  if (!stderr.isTTY) return () => {}
  const { write } = stderr
  stderr.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
    if (text.trim() !== '') onText(text.trim())
    const done = rest.at(-1)
    if (typeof done === 'function') queueMicrotask(() => done())
    return true
  }) as typeof stderr.write
  return () => {
    stderr.write = write
  }
}
