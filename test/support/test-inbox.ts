import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { NewDelivery } from '../../src/inbox/delivery-rows.ts'
import { type FileInbox, type OpenInbox, openInbox } from '../../src/inbox/open.ts'
import { sampleDelivery } from './sample-delivery.ts'

export interface TestInbox {
  /** The folder of the current test. */
  readonly folder: string
  readonly path: string
  /** The time of the clock: when inboxes are opened and deliveries received. */
  readonly now: number
  /** Another handle to the inbox, closed after the test. */
  open(over?: Partial<OpenInbox>): FileInbox
  delivery(eventId: string, changes?: Partial<NewDelivery>): NewDelivery
}

/** For a test file: a path for an inbox, in a new folder for each test. */
export function testInbox(): TestInbox {
  const now = Date.UTC(2026, 8, 21)
  const opened: FileInbox[] = []
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bankapi-inbox-'))
  })
  afterEach(() => {
    for (const inbox of opened.splice(0)) inbox.close()
    rmSync(folder, { recursive: true })
  })
  const pathOf = () => join(folder, 'data', 'inbox.sqlite')
  return {
    now,
    get folder() {
      return folder
    },
    get path() {
      return pathOf()
    },
    open(over = {}) {
      const inbox = openInbox({ path: pathOf(), now: () => now, ...over })
      opened.push(inbox)
      return inbox
    },
    delivery: (eventId, changes = {}) => sampleDelivery(eventId, { receivedAt: now, ...changes }),
  }
}
