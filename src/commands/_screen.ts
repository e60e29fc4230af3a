/** Opens the TUI for a command, with one of its lists focused. Without a terminal the same events come as lines. */
import type { Session } from '../cli/command/session.ts'
import { UsageError } from '../cli/errors/errors.ts'
import { openInBrowser } from '../cli/terminal/open-in-browser.ts'
import type { Terminal } from '../cli/terminal/terminal.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { systemClock } from '../machine/machine.ts'
import { safeText } from '../output/safe-text.ts'
import { reauthorize } from '../workflows/reauthorize.ts'
import { KnownLinks } from './connections/_known-links.ts'
import { reauthorizeLinks } from './connections/_reauthorize-links.ts'
import { type AssembledListener, portError } from './webhooks/_listener.ts'

export interface ScreenOptions {
  readonly session: Session
  readonly terminal: Terminal
  readonly signal: AbortSignal
  readonly inbox: Inbox
  /** The pane that has the keys at first. */
  readonly focusedList: 'operations' | 'deliveries'
  readonly operationIds?: readonly string[]
  /** Started and closed by the screen. */
  readonly listening?: AssembledListener | undefined
  /** Makes one that the screen starts; undefined when the command starts none. `anyPort` when its own is in use. */
  readonly makeListener?: (options: { readonly anyPort: boolean }) => Promise<AssembledListener>
  /** Whether one is started with the screen. */
  readonly listensItself?: boolean
  readonly forwardTimeoutMs?: number | undefined
  readonly insecureTls?: boolean | undefined
  readonly utc: boolean
  readonly json: boolean
  readonly warn: (sentence: string) => void
}

/** Shows it until the user quits or the signal aborts. @throws what starting the listener throws. */
export async function openScreen(options: ScreenOptions): Promise<void> {
  const { session, listening, operationIds, makeListener, ...shown } = options
  let current = listening
  const { runTui } = await import('../tui/run.ts')
  const { value: environment, mode } = session.environment
  const key = await session.apiKey().catch(() => undefined)
  await runTui({
    ...shown,
    api: session.api,
    clock: systemClock,
    environment,
    live: mode === 'live',
    keyPrefix: key && `${key.secret.slice(0, 'sk_test_'.length + 4)}…`,
    ...(operationIds === undefined ? {} : { operationIds }),
    ...(listening === undefined ? {} : { listener: listening.listener, events: listening.events }),
    ...(makeListener === undefined
      ? {}
      : {
          makeListener: async (how) => {
            current = await makeListener(how)
            return current.listener
          },
        }),
    reauthorize: (connectionId) => linkFor(connectionId, session, options.signal),
    target: {
      routes: listening?.routes ?? [],
      timeoutMs: options.forwardTimeoutMs ?? 30_000,
      insecureTls: options.insecureTls ?? false,
      extraHeaders: listening?.extraHeaders ?? [],
      signingSecret: async () => (await current?.secret.accepted())?.[0],
    },
    safe: safeText,
    explain: async (error) => {
      // Loads the whole contract, so not before the first frame.
      const { describeFailure } = await import('../cli/errors/report.ts')
      return describeFailure(error).message
    },
    openUrl: (url, onProblem) => openInBrowser(url, session.machine, onProblem),
  }).catch((error: unknown) => {
    throw portError(error)
  })
}

/** Makes a link after the user was asked, or finds the one that is still valid; never a second one. */
async function linkFor(
  connectionId: string,
  session: Session,
  signal: AbortSignal,
): Promise<{ url: string; note: string }> {
  const { api, machine, environment } = session
  const marks = new KnownLinks(machine, environment.value)
  let isKept = true
  const store = reauthorizeLinks(session, () => {
    isKept = false
  })
  const { reauthorization, reused, movedTo } = await reauthorize({ api, clock: systemClock, signal }, store, {
    connectionId,
    fresh: false,
    marks,
    confirm: async () => {
      const link = marks.of(connectionId)
      if (link !== undefined) {
        throw new UsageError(`No second link is made for ${connectionId}: ${link.message}`, {
          code: 'link_exists',
        })
      }
    },
  })
  if (!reused) marks.clear(connectionId)
  const { reauth_url, expires_at } = reauthorization.action
  const sentences = [
    `${reused ? 'Made before, still valid' : 'Valid'} until ${expires_at}. Whoever has it can use it: hand it over on a channel fit for secrets.`,
    ...(isKept ? [] : ['No keychain answers, so it is not remembered: keep it.']),
    ...(movedTo === undefined
      ? []
      : [`The bank is served by ${movedTo} now: a new Connection with new ids will follow.`]),
  ]
  return { url: safeText(reauth_url), note: safeText(sentences.join(' ')) }
}
