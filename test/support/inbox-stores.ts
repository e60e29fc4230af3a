/**
 * Runs tests of the inbox for each place it can be kept in.
 *
 *     forEachStore((store) => {
 *       test('…', async () => {
 *         const { deliveries } = await store.open()
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe } from 'vitest'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { openInbox } from '../../src/inbox/open.ts'
import { type OpenPostgresInbox, openPostgresInbox } from '../../src/inbox/postgres/open.ts'
import { postgresServer, whyNoPostgres } from './postgres.ts'
import { sampleDelivery } from './sample-delivery.ts'

export interface TestStore {
  /** Another handle to the inbox of the current test, closed after it. */
  open(): Promise<Inbox>
}

/** Without Postgres, those of it are skipped and say why. */
export function forEachStore(tests: (store: TestStore) => void): void {
  describe('in a file', () => {
    let folder = ''
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'bankapi-inbox-'))
    })
    const handles = closedAfterTest()
    afterEach(() => rmSync(folder, { recursive: true }))
    const open = () =>
      openInbox({ path: join(folder, 'inbox.sqlite'), now: () => sampleDelivery('').receivedAt })
    tests({ open: async () => handles.add(open()) })
  })
  const missing = whyNoPostgres()
  describe.skipIf(missing !== undefined)(`in Postgres ${missing ?? ''}`, { tags: ['postgres'] }, () => {
    const postgres = testPostgresInbox()
    tests({ open: () => postgres.open() })
  })
}

export interface TestPostgresInbox {
  /** The address of the database of the current test. */
  readonly at: string
  open(over?: Partial<OpenPostgresInbox>): Promise<Inbox>
}

/** An empty database for each test. */
export function testPostgresInbox(): TestPostgresInbox {
  let at = ''
  beforeEach(async () => {
    at = await (await postgresServer()).database()
  })
  const handles = closedAfterTest()
  return {
    get at() {
      return at
    },
    open: async (over = {}) => handles.add(await openPostgresInbox({ at, env: {}, ...over })),
  }
}

function closedAfterTest() {
  const opened: Inbox[] = []
  afterEach(async () => {
    for (const inbox of opened.splice(0)) await inbox.close()
  })
  return {
    add(inbox: Inbox): Inbox {
      opened.push(inbox)
      return inbox
    },
  }
}
