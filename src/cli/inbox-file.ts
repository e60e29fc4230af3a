/** The inbox of this machine: opened only by commands that note or show what happened. */
import { join } from 'node:path'
import { ConfigError } from '../config/errors.ts'
import { dataDir } from '../config/paths.ts'
import { ensurePrivateFolder } from '../config/private-folder.ts'
import type { Inbox } from '../inbox/open.ts'
import { parseDuration } from './duration.ts'
import type { Session } from './session.ts'

/**
 * Opens `<data>/inbox.sqlite`, with what `inbox.keep` says about its age.
 * @throws ConfigError when the folder or the file cannot be used.
 */
export async function openInboxOf({ machine, settings }: Session): Promise<Inbox> {
  const folder = dataDir(machine)
  ensurePrivateFolder(machine, folder)
  const keep = settings.get('inbox.keep')
  const { openInbox } = await import('../inbox/open.ts')
  return explained(() =>
    openInbox({
      path: join(folder, 'inbox.sqlite'),
      now: machine.now,
      ...(keep === undefined ? {} : { keep: { ageMs: parseDuration(String(keep)) } }),
    }),
  )
}

/** @throws ConfigError when what happens here could not be noted. */
export async function assertInboxWritable(session: Session): Promise<void> {
  const inbox = await openInboxOf(session)
  try {
    await explained(() => inbox.assertWritable())
  } finally {
    inbox.close()
  }
}

/** What the inbox throws, as what every command knows how to say. */
async function explained<T>(use: () => T): Promise<T> {
  const { InboxError } = await import('../inbox/inbox-error.ts')
  try {
    return use()
  } catch (error) {
    if (!(error instanceof InboxError)) throw error
    throw new ConfigError('not_writable', error.message, error.hint)
  }
}
