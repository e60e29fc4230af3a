/** What this machine started and saw, kept in the inbox, so that `operations list` and the TUI can show it later. */
import type { Operation } from '../../contract/operations.ts'
import type { Inbox } from '../../inbox/open.ts'
import { openInboxOf } from './inbox.ts'
import type { Session } from './session.ts'

export interface StartedOperation {
  readonly id: string
  readonly type: string
  /** What it is about: a Connection or Client id. */
  readonly subject: string
  /** Seconds, from the 202 answer. */
  readonly estimatedSeconds?: number | undefined
}

export interface Journal {
  started(operation: StartedOperation): Promise<void>
  seen(operation: Operation): Promise<void>
  /** The Connection or Client an operation started here is about. */
  subjectOf(operationId: string): Promise<string | undefined>
  close(): Promise<void>
}

/**
 * Opened at the first note. A journal that cannot be written is a warning, said once: the operation runs at the
 * service all the same, and a read-only home must not stop anybody from refreshing a bank.
 */
export function openJournal(session: Session, onWarning: (warning: string) => void): Journal {
  const environment = session.environment.value
  let opening: Promise<Inbox | undefined> | undefined

  const open = () => {
    opening ??= openInboxOf(session).catch((error: Error) => {
      onWarning(`not noted in the inbox: ${error.message}`)
      return undefined
    })
    return opening
  }
  const note = async (write: (inbox: Inbox) => void) => {
    const inbox = await open()
    if (inbox === undefined) return
    try {
      write(inbox)
    } catch (error) {
      onWarning(`not noted in the inbox: ${(error as Error).message}`)
      inbox.close()
      opening = Promise.resolve(undefined)
    }
  }

  return {
    started: ({ id, type, subject, estimatedSeconds }) =>
      note((inbox) => {
        const now = session.machine.now()
        inbox.operations.record({
          environment,
          id,
          type,
          subject,
          status: 'queued',
          startedAt: now,
          seenAt: now,
          estimatedSeconds,
        })
      }),
    seen: ({ id, type, status, completed_at }) =>
      note((inbox) =>
        inbox.operations.record({
          environment,
          id,
          type,
          status,
          seenAt: session.machine.now(),
          completedAt: completed_at ? Date.parse(completed_at) : undefined,
        }),
      ),
    async subjectOf(operationId) {
      return (await open())?.operations.get(environment, operationId)?.subject
    },
    async close() {
      if (opening !== undefined) (await opening)?.close()
    },
  }
}
