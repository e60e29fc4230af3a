/** Opens the TUI for a command, with one of its lists focused. Without a terminal the same events come as lines. */

import type { Session } from '../cli/command/session.ts'
import { openInBrowser } from '../cli/terminal/open-in-browser.ts'
import type { Terminal } from '../cli/terminal/terminal.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { systemClock } from '../machine/machine.ts'
import { safeText } from '../output/safe-text.ts'
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
  readonly forwardTimeoutMs?: number | undefined
  readonly insecureTls?: boolean | undefined
  readonly utc: boolean
  readonly json: boolean
  readonly warn: (sentence: string) => void
}

/** Shows it until the user quits or the signal aborts. @throws what starting the listener throws. */
export async function openScreen(options: ScreenOptions): Promise<void> {
  const { session, listening, operationIds, ...shown } = options
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
    target: {
      routes: listening?.routes ?? [],
      timeoutMs: options.forwardTimeoutMs ?? 30_000,
      insecureTls: options.insecureTls ?? false,
      extraHeaders: listening?.extraHeaders ?? [],
      signingSecret: async () => (await listening?.secret.accepted())?.[0],
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
