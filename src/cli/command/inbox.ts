/** Opens the inbox, of this machine or shared, and notes in it the operations that commands started and saw. */
import { join } from 'node:path'
import type { Connection } from '../../contract/connections.ts'
import type { Operation } from '../../contract/operations.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { Inbox, Stored } from '../../inbox/inbox.ts'
import { variable } from '../../machine/machine.ts'
import { dataDir } from '../../machine/paths.ts'
import { ensurePrivateFolder } from '../../machine/private-folder.ts'
import { parseDuration } from './duration.ts'
import type { Session } from './session.ts'

/**
 * Opens the inbox in the Postgres that BANKAPI_INBOX_AT or the setting `inbox.at` names, else `<data>/inbox.sqlite`.
 * Deliveries are kept as long as the setting `inbox.keep` says, in a file in as much room as `inbox.max_size` allows.
 * @throws PostgresAddressError, FileError or InboxError when the database, the folder or the file cannot be used.
 */
export async function openInboxOf({ machine, settings }: Session): Promise<Inbox> {
  const duration = settings.get('inbox.keep')
  const keep = duration === undefined ? {} : { keep: { ageMs: parseDuration(String(duration)) } }
  const at = variable(machine, 'BANKAPI_INBOX_AT') ?? settings.get('inbox.at')
  if (at !== undefined) {
    const customer = variable(machine, 'BANKAPI_INBOX_CUSTOMER') ?? settings.get('inbox.customer') ?? ''
    const { openPostgresInbox } = await import('../../inbox/postgres/open.ts')
    return openPostgresInbox({ at: String(at), customer: String(customer), env: machine.env, ...keep })
  }
  const folder = dataDir(machine)
  ensurePrivateFolder(machine, folder)
  const maxSize = settings.get('inbox.max_size')
  const { openInbox } = await import('../../inbox/open.ts')
  return openInbox({
    path: join(folder, 'inbox.sqlite'),
    now: machine.now,
    ...keep,
    ...(maxSize === undefined ? {} : { maxBytes: bytesOf(String(maxSize)) }),
  })
}

function bytesOf(size: string): number {
  return Number.parseInt(size, 10) * (size.endsWith('gb') ? 1024 ** 3 : 1024 ** 2)
}

/** Where the inbox is. @throws as `openInboxOf`, and InboxError when it cannot be written. */
export async function writableInbox(session: Session): Promise<string> {
  const inbox = await openInboxOf(session)
  try {
    await inbox.assertWritable()
    return inbox.place
  } finally {
    await inbox.close()
  }
}

export interface StartedOperation {
  readonly id: string
  readonly type: string
  /** The Connection or Client it works on. */
  readonly subject: string
  /** Seconds, from the 202 answer. */
  readonly estimatedSeconds?: number | undefined
}

export interface Journal {
  started(operation: StartedOperation): Promise<void>
  seen(operation: Operation): Promise<void>
  /** The Connection or Client of an operation that was started on this machine. */
  subjectOf(operationId: string): Promise<string | undefined>
  /** `data.connection` of the latest verified event of a Connection received since then (Unix milliseconds). */
  connectionInEvents(connectionId: string, since: number): Promise<EventConnection | undefined>
  close(): Promise<void>
}

type EventConnection = Pick<Connection, 'id' | 'status' | 'last_error'>

/**
 * Opens the inbox at the first note. If it cannot be written, that is one warning and no failure: the operation runs at
 * the service all the same.
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
  const note = async (write: (inbox: Inbox) => Stored<void>) => {
    const inbox = await open()
    if (inbox === undefined) return
    try {
      await write(inbox)
    } catch (error) {
      onWarning(`not noted in the inbox: ${(error as Error).message}`)
      await inbox.close()
      opening = Promise.resolve(undefined)
    }
  }

  return {
    started: ({ id, type, subject, estimatedSeconds }) =>
      note((inbox) => {
        const now = session.machine.now()
        return inbox.operations.record({
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
    seen: ({ id, type, status, created_at, completed_at }) =>
      note((inbox) =>
        inbox.operations.record({
          environment,
          id,
          type,
          status,
          seenAt: session.machine.now(),
          // Until it is completed, its age is measured by the clock of this machine; then both times are of the service.
          startedAt: completed_at ? Date.parse(created_at) : undefined,
          completedAt: completed_at ? Date.parse(completed_at) : undefined,
        }),
      ),
    async subjectOf(operationId) {
      const known = await (await open())?.operations.get(environment, operationId)
      return known?.subject
    },
    async connectionInEvents(connectionId, since) {
      const inbox = await open()
      const filter = { type: 'connection.*', verified: true, environment, since }
      // Without the inbox the command waits as it does without a listener.
      const found = (await Promise.resolve(inbox?.deliveries.list(filter)).catch(() => undefined)) ?? []
      return found.map(connectionOf).findLast((one) => one?.id === connectionId)
    },
    async close() {
      if (opening !== undefined) await (await opening)?.close()
    },
  }
}

function connectionOf({ body }: Delivery): EventConnection | undefined {
  try {
    const envelope = JSON.parse(Buffer.from(body).toString()) as { data?: { connection?: EventConnection } }
    return envelope.data?.connection
  } catch {
    return undefined
  }
}
