/** The inbox of this machine: opened only by commands that note or show what happened. */
import { join } from 'node:path'
import type { Inbox } from '../../inbox/open.ts'
import { dataDir } from '../../machine/paths.ts'
import { ensurePrivateFolder } from '../../machine/private-folder.ts'
import { parseDuration } from './duration.ts'
import type { Session } from './session.ts'

/**
 * Opens `<data>/inbox.sqlite`, as old as `inbox.keep` and as large as `inbox.max_size` say.
 * @throws FileError or InboxError when the folder or the file cannot be used.
 */
export async function openInboxOf({ machine, settings }: Session): Promise<Inbox> {
  const folder = dataDir(machine)
  ensurePrivateFolder(machine, folder)
  const keep = settings.get('inbox.keep')
  const maxSize = settings.get('inbox.max_size')
  const { openInbox } = await import('../../inbox/open.ts')
  return openInbox({
    path: join(folder, 'inbox.sqlite'),
    now: machine.now,
    ...(keep === undefined ? {} : { keep: { ageMs: parseDuration(String(keep)) } }),
    ...(maxSize === undefined ? {} : { maxBytes: bytesOf(String(maxSize)) }),
  })
}

function bytesOf(size: string): number {
  return Number.parseInt(size, 10) * (size.endsWith('gb') ? 1024 ** 3 : 1024 ** 2)
}

/** @throws InboxError when what happens here could not be noted. */
export async function assertInboxWritable(session: Session): Promise<void> {
  const inbox = await openInboxOf(session)
  try {
    inbox.assertWritable()
  } finally {
    inbox.close()
  }
}
