/** What every tool of the assistant works with: fixed when the server starts, so that no call can change it. */
import type { Api } from '../api/api.ts'
import type { Clock } from '../api/options.ts'
import type { Operation } from '../contract/operations.ts'
import type { BankapiError } from '../errors.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Mirror } from '../sync/mirror/mirror.ts'
import type { LinkMarks, LinkStore } from '../workflows/reauthorize.ts'

/** Groups of tools that change something; each has to be allowed by name. None deletes, revokes or makes keys. */
export type Group = 'refresh' | 'reauthorize' | 'link' | 'webhooks'

export interface Failure {
  readonly code: string
  readonly message: string
  readonly hint?: string | undefined
  readonly trace_id?: string | undefined
}

/** Keeps reauthorize links for the person who runs `bankapi connections reauthorize`. */
export interface KeptLinks {
  readonly store: LinkStore
  readonly marks: LinkMarks
  /** False once the store did not answer: a link would be lost. */
  readonly answers: boolean
  /** Why no link is to be made of a Connection, in a sentence about it: one is in a file, or may have been made. */
  readonly refusal: (connectionId: string) => string | undefined
}

/** Notes operations in the inbox, as the commands do, so that they are found again. An inbox that cannot be written fails nothing. */
export interface Journal {
  /** Call it once the service has accepted the call. */
  readonly started: (operation: {
    readonly id: string
    readonly type: string
    /** The Connection or Client it works on. */
    readonly subject: string
    readonly estimatedSeconds: number | undefined
  }) => Promise<void>
  readonly seen: (operation: Operation) => Promise<void>
  /** The Connection or Client of an operation that was started on this machine. */
  readonly subjectOf: (operationId: string) => Promise<string | undefined>
}

/** The mirror of `bankapi sync`, opened to read. */
export interface AssistantMirror extends Pick<Mirror, 'query'> {
  /** Since when all of it is complete; null when no Client was read to its end. @throws MirrorError */
  readonly completeSince: () => Promise<string | null>
}

export interface Assistant {
  readonly api: Api
  readonly clock: Clock
  readonly environment: {
    readonly name: string
    /** As every answer names it: `local`, or a profile with its mode, `acme (live)`. */
    readonly shown: string
  }
  /** Scopes of the key in use, as the service lists them; undefined where that cannot be told. */
  readonly listedScopes: (signal: AbortSignal) => Promise<readonly string[] | undefined>
  /** The groups of tools that may act. */
  readonly allowed: ReadonlySet<Group>
  /** Whether names, masks and e-mail addresses of people may be shown. */
  readonly pii: boolean
  /** The Client that calls are about when they name none. */
  readonly clientId: string | undefined
  /** Unix ms by the clock of the service. */
  readonly now: () => number
  /** Makes a command for a person to run, with the environment. */
  readonly command: (...words: readonly string[]) => string
  /** The record of deliveries and operations of this machine. @throws InboxError */
  readonly openInbox: () => Promise<Inbox>
  readonly journal: Journal
  readonly openLinks: () => Promise<KeptLinks>
  /** Undefined where there is none of this service. */
  readonly mirror: AssistantMirror | undefined
  /** Masks the key in use, and every other secret that was looked up. */
  readonly redacted: (text: string) => string
  /** An error in a sentence, with what to do next, without secrets; the ids of the call are named. */
  readonly describe: (error: BankapiError, input: Readonly<Record<string, unknown>>) => Failure
}

/** One call: it ends when the client cancels it or goes away. */
export interface Call extends Assistant {
  readonly signal: AbortSignal
  /** Says how far a long call is, where the client asked for it. */
  readonly progress: (done: number) => void
}
