import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type Delivery,
  type Listener,
  runningEmulator,
  type TestEmulator,
} from '../support/running-emulator.ts'

const second = 1000
const hour = 3600 * second
const day = 24 * hour

/** One attempt as its receiver saw it, with the emulator's time of the moment. */
interface Attempt {
  readonly id: string
  readonly type: string
  readonly createdAt: number
  readonly at: number
  readonly delivery: Delivery
}

/** Answers everything with `status` from now on, and notes when it came. */
function noting(emulator: TestEmulator, listener: Listener, status: number): Attempt[] {
  const attempts: Attempt[] = []
  listener.answer((delivery) => {
    const { event_id: id, type, created_at } = delivery.event
    const at = Date.parse(emulator.status().clock)
    attempts.push({ id, type, createdAt: Date.parse(created_at), at, delivery })
    return status
  })
  return attempts
}

/** When an event that nobody takes is tried, from its creation: at once, then twice as long after each failure. */
function triesUntil(end: number): number[] {
  const tries: number[] = []
  for (let at = 0, wait = 10 * second; at <= Math.min(end, day); at += wait, wait *= 2) tries.push(at)
  return tries
}

/** Which secrets an attempt is signed with: throws for a signature that none of them made. */
function signers({ headers, body }: Delivery, secrets: Readonly<Record<string, string>>): string[] {
  return ['x-ls-webhook-signature', 'x-ls-webhook-signature-prev']
    .map((name) => headers[name])
    .filter((signature) => signature !== undefined)
    .map((signature) => {
      const made = Object.entries(secrets).find(([, secret]) => {
        const hmac = createHmac('sha256', secret).update(`${headers['x-ls-webhook-timestamp']}.`)
        return hmac.update(body).digest('hex') === signature
      })
      if (!made) throw new Error(`nobody signed ${signature}`)
      return made[0]
    })
}

test('a day: link, refresh, fail, rotate a secret, advance 25 h: every event and retry is accounted for', async () => {
  const emulator = await runningEmulator()
  const brokenTypes = ['connection.active', 'connection.failed', 'account.refresh.failed'] as const
  const steady = await emulator.listen()
  const broken = await emulator.listen(brokenTypes)
  const taken = noting(emulator, steady, 200)
  const refused = noting(emulator, broken, 500)

  const id = await emulator.linked('ins_a_ok')
  expect((await emulator.refreshed(id)).status).toBe('succeeded')
  const partial = await emulator.linked('ins_b_partial')
  expect((await emulator.refreshed(partial)).error?.code).toBe('refresh_partially_failed')
  emulator.trigger({ type: 'connection.failed', connection: id })
  await emulator.advance(second)

  const rotatedAt = Date.parse(emulator.status().clock)
  const { id: subscription, signing_secret: old } = steady.subscription
  const rotated = await emulator.post(`/webhooks/subscriptions/${subscription}/rotate-secret`)
  await emulator.advance(25 * hour)
  // One more, when the old secret is worth nothing any more.
  await emulator.post(`/webhooks/subscriptions/${subscription}/test`)
  await emulator.advance(0)
  const end = Date.parse(emulator.status().clock)

  // What happened to the connections is what was told, in this order.
  const about = (connection: string, type: string) =>
    taken
      .filter(
        (one) => one.type.startsWith(type) && JSON.stringify(one.delivery.event.data).includes(connection),
      )
      .toSorted((one, other) => one.createdAt - other.createdAt)
      .map((one) => one.type)
  expect(about(id, 'connection.')).toEqual(['connection.active', 'connection.failed', 'connection.active'])
  expect((await emulator.connection(id)).status).toBe('active')
  // The refresh asked for and the daily one, each with one account of three that did not report.
  expect(about(partial, 'connection.')).toEqual(['connection.active'])
  expect(taken.filter(({ type }) => type === 'account.refresh.failed')).toHaveLength(2)

  // The steady receiver: each event once, at the moment it happened.
  expect(new Set(taken.map((one) => one.id)).size).toBe(taken.length)
  expect(taken.filter(({ at, createdAt }) => at !== createdAt)).toEqual([])

  // Both signatures from the rotation on for 24 hours, and only then.
  const secrets = { old, new: rotated.signing_secret }
  const phases = { before: 0, overlap: 0, after: 0 }
  for (const { at, delivery } of taken) {
    const phase = at < rotatedAt ? 'before' : at < rotatedAt + day ? 'overlap' : 'after'
    phases[phase] += 1
    const expected = { before: ['old'], overlap: ['new', 'old'], after: ['new'] }[phase]
    expect([delivery.event.type, signers(delivery, secrets)]).toEqual([delivery.event.type, expected])
  }
  expect(Object.values(phases).filter((count) => count === 0)).toEqual([])

  // The broken receiver: the same events of its types, each tried at exactly these times, always the same bytes.
  const asked = taken.filter(({ type }) => brokenTypes.some((one) => one === type))
  const tried = Map.groupBy(refused, (one) => one.id)
  expect([...tried.keys()].sort()).toEqual(asked.map((one) => one.id).sort())
  let givenUp = 0
  for (const attempts of tried.values()) {
    const [first] = attempts as [Attempt]
    const age = end - first.createdAt
    expect(attempts.map(({ at, createdAt }) => at - createdAt)).toEqual(triesUntil(age))
    expect(new Set(attempts.map(({ delivery }) => delivery.body.toString('hex'))).size).toBe(1)
    if (triesUntil(age).length === triesUntil(day).length) givenUp += 1
  }
  expect(triesUntil(day)).toHaveLength(14)

  // The service counts what the receivers counted. `to` is exclusive and defaults to now.
  await emulator.advance(1)
  expect(await emulator.get('/metrics/webhook-delivery')).toMatchObject({
    total_deliveries: taken.length + refused.length,
    success_count: taken.length,
    failure_count: refused.length,
  })
  expect(emulator.status().deliveries).toEqual({
    delivered: taken.length,
    given_up: givenUp,
    pending: tried.size - givenUp,
  })
})
