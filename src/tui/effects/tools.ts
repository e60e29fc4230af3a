/** The dependencies of the TUI's effects: the service, the inbox, the terminal. */
import type { HeaderPair } from '../../inbox/delivery-rows.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import type { ForwardRoute } from '../../listener/forward-url.ts'
import type { WorkflowContext } from '../../workflows/context.ts'
import type { TuiEvent } from '../state/events.ts'

export interface Target {
  readonly routes: readonly ForwardRoute[]
  /** Milliseconds. */
  readonly timeoutMs: number
  readonly insecureTls: boolean
  readonly extraHeaders: readonly HeaderPair[]
  /** Signs a replay whose own signature is too old; undefined when none is known. */
  readonly signingSecret: () => Promise<string | undefined>
}

/** A link to hand to the user: a credential. */
export interface ReauthorizeLink {
  readonly url: string
  /** A sentence about it. */
  readonly note: string
}

export interface EffectTools extends WorkflowContext<never> {
  readonly environment: string
  readonly inbox: Pick<Inbox, 'deliveries' | 'operations'>
  readonly target: Target
  /** Makes text from outside safe for a terminal, on one line. */
  readonly safe: (text: string) => string
  /** Describes an error in a sentence for the user. */
  readonly explain: (error: unknown) => Promise<string>
  /** Opens a web address; problems go to the callback. */
  readonly openUrl: (url: string, onProblem: (problem: string) => void) => void
  /** Makes a link to reauthorize a Connection, or finds the one that is still valid. */
  readonly reauthorize: (connectionId: string) => Promise<ReauthorizeLink>
  /** Starts a listener in this process; its events reach the state. */
  readonly listen: () => Promise<void>
  /** Puts text into the clipboard of the terminal. */
  readonly copy: (text: string) => void
  readonly dispatch: (tuiEvent: TuiEvent) => void
}
