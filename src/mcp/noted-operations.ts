/** Notes operations in the inbox, as the commands do, so that they are found again. An inbox that cannot be written fails nothing. */
import type { Operation } from '../contract/operations.ts'
import type { OperationAccepted } from '../contract/shapes.ts'
import { BankapiError } from '../errors.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Call } from './assistant.ts'

/** Call it once the service has accepted the call. */
export async function noteStarted(
  call: Call,
  { operation_id: id, estimated_seconds: estimatedSeconds }: OperationAccepted,
  { type, subject }: { readonly type: string; readonly subject: string },
): Promise<void> {
  const now = call.clock.now()
  const environment = call.environment.name
  await noted(call, (inbox) =>
    inbox.operations.record({
      ...{ environment, id, type, subject, status: 'queued', startedAt: now, seenAt: now },
      estimatedSeconds,
    }),
  )
}

/** Returns the Connection or Client it is on, where this machine started it. */
export async function noteSeen(
  call: Call,
  { id, type, status, created_at, completed_at }: Operation,
): Promise<string | undefined> {
  const environment = call.environment.name
  // Until it is completed, its age is measured by the clock of this machine.
  const times =
    completed_at === undefined
      ? {}
      : { startedAt: Date.parse(created_at), completedAt: Date.parse(completed_at) }
  return noted(call, async (inbox) => {
    await inbox.operations.record({
      ...{ environment, id, type, status, ...times },
      seenAt: call.clock.now(),
    })
    return (await inbox.operations.get(environment, id))?.subject
  })
}

async function noted<T>(
  { openInbox }: Call,
  write: (inbox: Inbox) => T | Promise<T>,
): Promise<T | undefined> {
  try {
    return await write(await openInbox())
  } catch (error) {
    if (!(error instanceof BankapiError)) throw error
    return undefined
  }
}
