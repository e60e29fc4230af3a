import { describe, expect, test } from 'vitest'
import { forEachStore } from '../../test/support/inbox-stores.ts'
import { sampleDelivery as delivery } from '../../test/support/sample-delivery.ts'
import type { NewDelivery } from './delivery-rows.ts'
import { watchDeliveries } from './watch-deliveries.ts'

const now = delivery('evt_0').receivedAt

const ids = (found: { eventId?: string | undefined }[]) => found.map(({ eventId }) => eventId)

forEachStore(({ open }) => {
  describe('deliveries', () => {
    test('are kept to the byte, across a restart', async () => {
      const body = Buffer.from([0, 255, 13, 10, 0xc3, 0x28])
      const before = await open()
      const { id } = await before.deliveries.record(
        delivery('evt_1', { body, livemode: true, reason: 'r', detail: 'd' }),
      )
      await before.deliveries.recordForward(id, {
        url: 'http://x/',
        status: 200,
        durationMs: 1.5,
        body: Buffer.from('ok'),
      })
      await before.close()
      const [kept] = await (await open()).deliveries.get('evt_1')
      expect(kept).toMatchObject({
        ...delivery('evt_1'),
        body: new Uint8Array(body),
        livemode: true,
        reason: 'r',
        detail: 'd',
        forwards: [
          { url: 'http://x/', status: 200, durationMs: 1.5, body: new Uint8Array(Buffer.from('ok')) },
        ],
      })
    })

    test('keep signatures, and of credentials only the name of the header', async () => {
      const { deliveries } = await open()
      const { id } = await deliveries.record(
        delivery('evt_1', {
          headers: [
            ['X-LS-Webhook-Signature', 'abc'],
            ['Authorization', 'Bearer sk_live_1'],
            ['Cookie', 'sid=sk_live_1'],
            ['X-Api-Key', 'sk_live_1'],
          ],
        }),
      )
      await deliveries.recordForward(id, {
        url: 'http://x/',
        durationMs: 1,
        headers: [['Set-Cookie', 'sk_live_1']],
      })
      const [kept] = await deliveries.get('evt_1')
      expect(kept?.headers[0]).toEqual(['X-LS-Webhook-Signature', 'abc'])
      expect(kept?.headers[1]).toEqual(['Authorization', '[not kept]'])
      expect(JSON.stringify(kept)).not.toContain('sk_live_1')
    })

    test('repeat only within their environment and subscription, and only what was verified', async () => {
      const { deliveries } = await open()
      const record = async (over: Partial<NewDelivery>) =>
        (await deliveries.record(delivery('evt_1', over))).duplicate
      expect(await record({ verified: false })).toBe(false)
      expect(await record({ shape: 'no_envelope' })).toBe(false)
      expect(await record({})).toBe(false)
      expect(await record({})).toBe(true)
      expect(await record({ environment: 'live' })).toBe(false)
      expect(await record({ subscription: 'whk_1' })).toBe(false)
      expect(await record({ verified: false })).toBe(false)
      expect(await record({ replayOf: 3 })).toBe(false)
      expect((await deliveries.record(delivery('EVT_1'))).duplicate).toBe(false)
    })

    test('are accepted when a target has answered 2xx', async () => {
      const { deliveries } = await open()
      const wasAccepted = async (environment = 'sandbox') =>
        (await deliveries.claim({ eventId: 'evt_1', environment }, 0, { at: now, forMs: 0 })) === 'accepted'
      const { id } = await deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }))
      for (const status of [undefined, 500, 302]) {
        await deliveries.recordForward(id, { url: 'http://x/', status, durationMs: 1 })
        expect(await wasAccepted()).toBe(false)
      }
      expect(ids(await deliveries.list({ failed: true }))).toEqual(['evt_1'])
      const replay = await deliveries.record(delivery('evt_1', { replayOf: id, forwardTo: 'http://y/' }))
      await deliveries.recordForward(replay.id, { url: 'http://y/', status: 204, durationMs: 1 })
      expect(await wasAccepted()).toBe(true)
      expect(await wasAccepted('live')).toBe(false)
      expect(await deliveries.list({ failed: true })).toEqual([])
    })

    test('of an event that no target accepts count as failed once: the newest', async () => {
      const { deliveries } = await open()
      const failedIds = async () => (await deliveries.list({ failed: true })).map(({ id }) => id)
      const refusedByTarget = async (over: Partial<NewDelivery> = {}) => {
        const { id } = await deliveries.record(delivery('evt_1', { forwardTo: 'http://x/', ...over }))
        await deliveries.recordForward(id, { url: 'http://x/', status: 500, durationMs: 1 })
        return id
      }
      await refusedByTarget()
      const second = await refusedByTarget()
      const other = await refusedByTarget({ subscription: 'whk_1' })
      expect(await failedIds()).toEqual([second, other])
      await refusedByTarget({ replayOf: second })
      expect(await failedIds()).toEqual([second, other])
    })

    test('that had no target when they came count as failed once a replay was not accepted', async () => {
      const { deliveries } = await open()
      const failedIds = async () => (await deliveries.list({ failed: true })).map(({ id }) => id)
      const replayed = async (replayOf: number, status: number | undefined) => {
        const { id } = await deliveries.record(delivery('evt_1', { replayOf, forwardTo: 'http://x/' }))
        await deliveries.recordForward(id, { url: 'http://x/', status, durationMs: 1 })
      }
      const { id: first } = await deliveries.record(delivery('evt_1'))
      const { id: reverified } = await deliveries.record(delivery('evt_2', { verified: false }))
      await deliveries.markVerified(reverified)
      expect(await failedIds()).toEqual([])
      await replayed(first, 500)
      await replayed(reverified, undefined)
      expect(await failedIds()).toEqual([first, reverified])
      const { id: repeat } = await deliveries.record(delivery('evt_1'))
      expect(await failedIds()).toEqual([first, reverified])
      await replayed(repeat, 500)
      expect(await failedIds()).toEqual([reverified, repeat])
      await replayed(first, 204)
      await replayed(reverified, 204)
      expect(await failedIds()).toEqual([])
    })

    test('without a signed event id each stand for themselves', async () => {
      const { deliveries } = await open()
      const over = { shape: 'no_envelope', forwardTo: 'http://x/' } as const
      const [first, second] = [
        await deliveries.record(delivery('evt_1', over)),
        await deliveries.record(delivery('evt_1', over)),
      ]
      const replay = await deliveries.record(delivery('evt_1', { ...over, replayOf: first.id }))
      expect((await deliveries.list({ failed: true })).map(({ id }) => id)).toEqual([first.id, second.id])
      await deliveries.recordForward(replay.id, { url: 'http://x/', status: 200, durationMs: 1 })
      expect((await deliveries.list({ failed: true })).map(({ id }) => id)).toEqual([second.id])
      const accepted = await deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }))
      await deliveries.recordForward(accepted.id, { url: 'http://x/', status: 200, durationMs: 1 })
      expect((await deliveries.list({ failed: true })).map(({ id }) => id)).toEqual([second.id])
    })

    test('that were refused stay failed until a replay is accepted, or the event comes with a right signature', async () => {
      const { deliveries } = await open()
      const failed = async () => ids(await deliveries.list({ failed: true }))
      const refuse = (eventId: string, over: Partial<NewDelivery> = {}) =>
        deliveries.record(delivery(eventId, { verified: false, reason: 'signature_mismatch', ...over }))
      await refuse('evt_1')
      await refuse('evt_1')
      const second = await refuse('evt_2', { subscription: 'whk_1' })
      await refuse('evt_3', { subscription: 'whk_1' })
      expect(await failed()).toEqual(['evt_1', 'evt_1', 'evt_2', 'evt_3'])

      await deliveries.record(delivery('evt_1', { verified: false }))
      await deliveries.record(delivery('evt_1', { environment: 'live' }))
      await deliveries.record(delivery('evt_1', { shape: 'no_envelope' }))
      await deliveries.record(delivery('evt_3', { subscription: 'whk_2' }))
      expect(await failed()).toEqual(['evt_1', 'evt_1', 'evt_2', 'evt_3', 'evt_1'])
      await deliveries.record(delivery('evt_1', { subscription: 'whk_2' }))
      await deliveries.record(delivery('evt_3', { subscription: 'whk_1' }))
      expect(await failed()).toEqual(['evt_2'])

      const replay = await deliveries.record(
        delivery('evt_2', { subscription: 'whk_1', replayOf: second.id, forwardTo: 'http://x/' }),
      )
      expect(await failed()).toEqual(['evt_2'])
      await deliveries.recordForward(replay.id, { url: 'http://x/', status: 204, durationMs: 1 })
      expect(await failed()).toEqual([])
    })

    test('that were refused and verify later become verified ones, of which repeats are told', async () => {
      const { deliveries } = await open()
      const refused = { verified: false, reason: 'signature_mismatch', detail: 'No secret.' }
      const first = await deliveries.record(delivery('evt_1', refused))
      const second = await deliveries.record(delivery('evt_1', refused))
      const large = await deliveries.record(delivery('evt_2', { ...refused, body: Buffer.alloc(9000) }))
      expect([
        await deliveries.markVerified(first.id),
        await deliveries.markVerified(first.id),
        await deliveries.markVerified(second.id),
        await deliveries.markVerified(large.id),
      ]).toEqual([true, false, true, false])
      // The explanation of a listener may come last.
      await deliveries.explain(first.id, 'signature_mismatch', 'No secret.')
      const plain = { verified: true, reason: undefined, detail: undefined }
      expect(await deliveries.get('evt_1')).toMatchObject([
        { ...plain, duplicate: false },
        { ...plain, duplicate: true },
      ])
      expect(ids(await deliveries.list({ failed: true }))).toEqual(['evt_2'])
      expect((await deliveries.record(delivery('evt_1'))).duplicate).toBe(true)
    })

    test('of an event are all found by its id: its first, repeats, replays, and what was refused or is no envelope', async () => {
      const { deliveries } = await open()
      const kinds: Partial<NewDelivery>[] = [
        { verified: false, reason: 'signature_mismatch' },
        {},
        {},
        { shape: 'no_envelope' },
        { environment: 'live' },
        { subscription: 'whk_2' },
      ]
      const stored: number[] = []
      for (const kind of kinds) {
        await deliveries.record(delivery('evt_other', kind))
        stored.push((await deliveries.record(delivery('evt_1', kind))).id)
      }
      stored.push((await deliveries.record(delivery('evt_1', { replayOf: stored[0] }))).id)
      expect((await deliveries.get('evt_1')).map(({ id }) => id)).toEqual(stored)
    })

    test('are claimed by one at a time, until the outcome is recorded or the claim is over', async () => {
      const { deliveries } = await open()
      const other = (await open()).deliveries
      const event = { eventId: 'evt_1', environment: 'sandbox' }
      const claim = { at: Date.now(), forMs: 30_000 }
      const first = await deliveries.record(delivery('evt_1', { forwardTo: 'http://x/' }), claim)
      const second = await other.record(delivery('evt_1', { forwardTo: 'http://x/' }), claim)
      const claimFirst = () => deliveries.claim(event, first.id, { ...claim, at: Date.now() })
      const claimSecond = (forMs = 30_000) => other.claim(event, second.id, { at: Date.now(), forMs })
      expect([first.claimed, second.claimed]).toEqual(['claimed', 'running'])
      expect(await claimSecond()).toBe('running')
      await other.recordForward(second.id, { url: 'http://x/', durationMs: 1 })
      expect(await claimSecond()).toBe('running')
      await deliveries.recordForward(first.id, { url: 'http://x/', status: 500, durationMs: 1 })
      expect(await claimSecond(1)).toBe('claimed')
      // The listener that has it does not come back.
      await expect.poll(() => claimFirst()).toBe('claimed')
      expect(await claimSecond()).toBe('running')
      await deliveries.recordForward(first.id, { url: 'http://x/', status: 200, durationMs: 1 })
      expect(await claimSecond()).toBe('accepted')
      // A repeat of what a target has accepted is not to be forwarded.
      const third = await other.record(delivery('evt_1', { forwardTo: 'http://x/' }), claim)
      expect(third).toMatchObject({ duplicate: true, claimed: 'accepted' })
      const kept = await deliveries.get(event.eventId)
      expect(kept.map(({ forwardTo }) => forwardTo)).toEqual(['http://x/', undefined, undefined])
      expect(await claimFirst()).toBe('accepted')
      expect(await other.claim({ ...event, environment: 'live' }, second.id, claim)).toBe('running')
    })

    test('lose their bodies, and what targets answered, when those name an id that is erased', async () => {
      const { deliveries } = await open()
      const naming = async (event: string, id: string, over: Partial<NewDelivery> = {}) => {
        const body = Buffer.from(`{"data":{"connection":{"client_id":"${id}"}}}`)
        const recorded = await deliveries.record(delivery(event, { body, ...over }))
        await deliveries.recordForward(recorded.id, {
          url: 'http://x/',
          status: 200,
          durationMs: 1,
          body: Buffer.from('saved'),
        })
      }
      for (let count = 0; count < 201; count += 1) await naming(`evt_other_${count}`, 'cli_other')
      await naming('evt_1', 'cli_1')
      await naming('evt_2', 'cli_10')
      await naming('evt_3', 'cli_1', { environment: 'live' })
      expect(await deliveries.erase('sandbox', new Set(['cli_1']))).toBe(1)
      const sizes = async (event: string) => {
        const [kept] = await deliveries.get(event)
        return [kept?.body.byteLength, kept?.forwards[0]?.body?.byteLength]
      }
      expect(await sizes('evt_1')).toEqual([0, 0])
      expect(await sizes('evt_2')).not.toContain(0)
      expect(await sizes('evt_3')).not.toContain(0)
      expect(await sizes('evt_other_0')).not.toContain(0)
    })

    test('are claimed only when they are verified events', async () => {
      const { deliveries } = await open()
      const claim = { at: Date.now(), forMs: 30_000 }
      for (const over of [{ verified: false }, { shape: 'no_envelope' as const }, { eventId: undefined }]) {
        expect((await deliveries.record(delivery('evt_1', over), claim)).claimed).toBeUndefined()
      }
      expect((await deliveries.record(delivery('evt_1'))).claimed).toBeUndefined()
      expect((await deliveries.record(delivery('evt_1'), claim)).claimed).toBe('claimed')
    })

    test('of one event at once: exactly one is the first, and one has the claim', async () => {
      const inboxes = [await open(), await open(), await open()]
      const claim = { at: Date.now(), forMs: 30_000 }
      const recorded = await Promise.all(
        Array.from({ length: 60 }, async (_, at) =>
          inboxes[at % 3]?.deliveries.record(delivery('evt_1'), claim),
        ),
      )
      expect(recorded.filter((one) => one?.duplicate === false)).toHaveLength(1)
      expect(recorded.filter((one) => one?.claimed === 'claimed')).toHaveLength(1)
      expect(new Set(recorded.map((one) => one?.id)).size).toBe(60)
    })

    test('are listed by type, time, outcome and number', async () => {
      const { deliveries } = await open()
      await deliveries.record(delivery('evt_1', { receivedAt: now - 5000 }))
      await deliveries.record(delivery('evt_2', { type: 'statement.available' }))
      await deliveries.record(
        delivery('evt_3', { type: 'connection.failed', verified: false, environment: 'live' }),
      )
      expect(ids(await deliveries.list())).toEqual(['evt_1', 'evt_2', 'evt_3'])
      expect(ids(await deliveries.list({ limit: 2 }))).toEqual(['evt_2', 'evt_3'])
      expect(ids(await deliveries.list({ type: 'connection.*' }))).toEqual(['evt_1', 'evt_3'])
      expect(ids(await deliveries.list({ type: 'statement.available' }))).toEqual(['evt_2'])
      expect(ids(await deliveries.list({ type: '%' }))).toEqual([])
      expect(ids(await deliveries.list({ since: now }))).toEqual(['evt_2', 'evt_3'])
      expect(ids(await deliveries.list({ failed: true }))).toEqual(['evt_3'])
      expect(ids(await deliveries.list({ verified: false, environment: 'live' }))).toEqual(['evt_3'])
    })

    test('tell how they ended without their bodies, replays aside', async () => {
      const { deliveries } = await open()
      const forwardTo = 'http://x/'
      const record = async (eventId: string, more: Partial<NewDelivery>) =>
        (await deliveries.record(delivery(eventId, { receivedAt: now, ...more }))).id
      const accepted = await record('evt_1', { forwardTo })
      await deliveries.recordForward(accepted, { url: forwardTo, status: 204, durationMs: 12 })
      const failed = await record('evt_2', { forwardTo, receivedAt: now + 1 })
      await deliveries.recordForward(failed, { url: forwardTo, status: 500, durationMs: 7 })
      const silent = await record('evt_3', { forwardTo, receivedAt: now + 2 })
      await deliveries.recordForward(silent, { url: forwardTo, durationMs: 9000, error: 'refused' })
      await record('evt_4', { verified: false, reason: 'r', receivedAt: now + 3 })
      await record('evt_1', { receivedAt: now + 4 })
      const replay = await record('evt_2', { forwardTo, replayOf: failed, receivedAt: now + 5 })
      await deliveries.recordForward(replay, { url: forwardTo, status: 200, durationMs: 1 })
      const ended = (await deliveries.outcomes()).map(
        ({ receivedAt, target, verified, duplicate, durationMs }) => [
          receivedAt - now,
          verified ? target : 'refused',
          duplicate,
          durationMs,
        ],
      )
      expect(ended).toEqual([
        [0, 'accepted', false, 12],
        [1, 'failed', false, 7],
        [2, 'failed', false, undefined],
        [3, 'refused', false, undefined],
        [4, 'nowhere', true, undefined],
      ])
      expect(await deliveries.outcomes({ since: now + 2, environment: 'sandbox' })).toHaveLength(3)
      expect(await deliveries.outcomes({ type: 'no.such' })).toEqual([])
    })

    test('are seen by a watch as they come, from another handle too', async () => {
      const { deliveries } = await open()
      await deliveries.record(delivery('evt_0'))
      const other = await open()
      const stop = new AbortController()
      const { signal } = stop
      const after = await deliveries.lastId()
      const seen: (string | undefined)[] = []
      const watching = (async () => {
        for await (const { eventId } of watchDeliveries(deliveries, { signal, after, intervalMs: 5 })) {
          seen.push(eventId)
          if (seen.length === 1) await other.deliveries.record(delivery('evt_2'))
          else stop.abort()
        }
      })()
      await other.deliveries.record(delivery('evt_1'))
      await watching
      expect(seen).toEqual(['evt_1', 'evt_2'])
    })
  })

  describe('operations', () => {
    test('keep what is known when a later sight says less', async () => {
      const { operations } = await open()
      await operations.record({
        environment: 'local',
        id: 'op_1',
        seenAt: 1000,
        type: 'account.refresh',
        subject: 'con_FDE_123',
        estimatedSeconds: 120,
      })
      await operations.record({
        environment: 'local',
        id: 'op_1',
        seenAt: 3000,
        status: 'succeeded',
        completedAt: 2500,
      })
      await operations.record({ environment: 'local', id: 'op_1', seenAt: 2000, status: 'queued' })
      await operations.record({ environment: 'live', id: 'op_1', seenAt: 4000 })
      expect(await operations.get('local', 'op_1')).toEqual({
        environment: 'local',
        id: 'op_1',
        type: 'account.refresh',
        subject: 'con_FDE_123',
        status: 'succeeded',
        startedAt: 1000,
        estimatedSeconds: 120,
        seenAt: 3000,
        completedAt: 2500,
      })
      expect((await operations.list()).map(({ environment }) => environment)).toEqual(['live', 'local'])
      expect(await operations.list({ status: 'queued' })).toHaveLength(1)
      expect(await operations.list({ environment: 'local', status: 'queued' })).toEqual([])
      expect(await operations.get('local', 'op_2')).toBeUndefined()
    })
  })
})
