/** `bankapi tui`: operations and deliveries live, on the screen of a terminal, or as lines without one. */
import type { Inbox } from '../inbox/open.ts'
import type { Listener } from '../listener/listener.ts'
import { createPerformer } from './effects/perform.ts'
import { happeningOf, watchInbox } from './effects/sources.ts'
import type { EffectTools, Target } from './effects/tools.ts'
import { createFrames } from './frames.ts'
import { lineOf, reportsOf } from './lines.ts'
import { loadScreen } from './load-screen.ts'
import { createLoop, type Loop } from './loop.ts'
import type { TuiEvent } from './state/events.ts'
import { type About, initialState, type ListName, type State } from './state/model.ts'
import { captureStrayOutput } from './stray-output.ts'

type Given = Pick<EffectTools, 'api' | 'clock' | 'signal' | 'environment' | 'safe' | 'explain' | 'openUrl'>

export interface TuiOptions extends Given, Omit<About, 'environment'> {
  /** The list that has the keys at first. */
  readonly front: ListName
  readonly inbox: Inbox
  /** To be watched beside those that this machine knows. */
  readonly operationIds?: readonly string[]
  /** Not started yet; closed at the end. Without one, deliveries of other listeners are shown. */
  readonly listener?: Listener
  /** Types to show, `*` standing for any text. */
  readonly events?: readonly string[] | undefined
  /** Where deliveries are sent again; without a route, where each was sent before. */
  readonly target?: Partial<Target>
  readonly terminal: {
    readonly stdin: NodeJS.ReadStream
    readonly stdout: NodeJS.WriteStream
    readonly stderr: NodeJS.WriteStream
    readonly color: boolean
    /** Somebody is there: not in CI. */
    readonly interactive: boolean
  }
  /** Without a screen: NDJSON instead of lines for people. */
  readonly json: boolean
  /** Without a screen: a sentence for stderr. */
  readonly warn: (sentence: string) => void
}

const noTarget: Target = {
  routes: [],
  timeoutMs: 30_000,
  insecureTls: false,
  extraHeaders: [],
  signingSecret: async () => undefined,
}

/** Milliseconds the listener has for deliveries under way when the screen closes; the service sends them again. */
const GRACE = 2000

/**
 * Shows the screen, or prints lines, until the user quits or the signal aborts.
 * @throws what starting the listener throws, before anything is shown, and what drawing throws.
 */
export async function runTui(options: TuiOptions): Promise<void> {
  const { terminal, listener, json } = options
  const { stdin, stdout, interactive } = terminal
  const screen = interactive && !json && Boolean(stdin.isTTY && stdout.isTTY)
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const quit = () => stop.abort()

  let show: (before: State, event: TuiEvent, after: State) => void = () => {}
  const tools: EffectTools = {
    ...options,
    signal,
    target: { ...noTarget, ...options.target },
    copy: (text) => stdout.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`),
    dispatch: (happening) => loop.dispatch(happening),
  }
  const performer = createPerformer(tools, quit)
  const { environment, live, keyPrefix, utc, front, clock } = options
  const loop = createLoop({
    state: initialState({
      now: clock.now(),
      columns: stdout.columns ?? 80,
      lines: stdout.rows ?? 24,
      about: { environment, live, keyPrefix, utc },
      front,
    }),
    now: () => clock.now(),
    perform: performer.perform,
    onStep: (before, event, after) => show(before, event, after),
  })
  if (!screen) show = printer(options)
  const unsubscribe = listener?.subscribe((event) => {
    const happening = happeningOf(event, options.safe)
    if (happening !== undefined) loop.dispatch(happening)
    if (event.kind === 'error' && event.fatal) quit()
  })
  try {
    await listener?.start()
    const { operationIds = [], events } = options
    watchInbox({ ...tools, operationIds, events, history: screen })
    if (screen) await showScreen(options, loop, signal, (draw) => (show = draw))
    else await aborted(signal)
  } finally {
    loop.stop()
    quit()
    unsubscribe?.()
    await Promise.all([performer.close(), listener && closeSoon(listener)])
  }
}

/** Takes the terminal, and gives it back on every way out. */
async function showScreen(
  { terminal, safe }: TuiOptions,
  loop: Loop,
  signal: AbortSignal,
  onStep: (show: (before: State, event: TuiEvent) => void) => void,
): Promise<void> {
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
  // Before Node says what happened, so that it is said on the user's own screen.
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

/** Writes what happened to stdout. A reader that goes away ends the process as for every command. */
function printer({ terminal, json, utc, warn, clock }: TuiOptions) {
  return (before: State, event: TuiEvent, after: State): void => {
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
  const timer = setTimeout(() => void listener.close({ force: true }), GRACE)
  await listener.close()
  clearTimeout(timer)
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
