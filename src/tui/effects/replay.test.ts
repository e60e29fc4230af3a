import { expect, test } from 'vitest'
import { openInbox } from '../../inbox/open.ts'
import { createReplayer } from './replay.ts'
import type { EffectTools } from './tools.ts'

test('a delivery of which only the beginning is kept is not sent again', async () => {
  const inbox = openInbox({ path: ':memory:', now: Date.now })
  const { id } = inbox.deliveries.record({
    receivedAt: Date.now(),
    environment: 'local',
    method: 'POST',
    path: '/',
    headers: [],
    body: Buffer.alloc(20_000),
    shape: 'no_envelope',
    verified: false,
    forwardTo: 'http://127.0.0.1:1/',
  })
  const replayer = createReplayer({ inbox } as unknown as EffectTools)
  expect(await replayer.replay(id)).toEqual({ ok: false, text: 'Only the beginning of its body is kept' })
  expect(inbox.deliveries.list()).toHaveLength(1)
  inbox.close()
})
