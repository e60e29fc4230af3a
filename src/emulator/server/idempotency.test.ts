import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { firstKey } from '../seed.ts'
import { openService } from '../service.ts'
import { createApp } from './app.ts'
import { createRateLimiter } from './request-checks.ts'

test('failures included: an error inside the service is replayed, not executed anew', async () => {
  const errors: unknown[] = []
  const { engine, authenticator, faults, log, origin, end } = openService({ memory: true })
  const app = createApp({
    ...{ engine, authenticator, faults, log, environment: 'sandbox', portalSecret: '', strict: true },
    ...{
      limiter: createRateLimiter(undefined),
      latencyMs: 0,
      bodies: { held: 0 },
      boundTo: { host: '127.0.0.1' },
      sleep: (ms) => sleep(ms),
    },
    onError: (error) => errors.push(error),
  })
  onTestFinished(async () => {
    await app.close()
    await end()
  })
  const { links } = engine.store
  const addSession = links.addSession
  links.addSession = () => {
    throw new Error('broken')
  }
  const post = (key: string) =>
    app.inject({
      method: 'POST',
      url: '/v3/clients/cli_demo/connect-session',
      headers: {
        authorization: `Bearer ${firstKey(origin.root, 'sandbox', 'A')}`,
        'content-length': '0',
        'idempotency-key': key,
      },
    })
  const first = await post('k1')
  links.addSession = addSession
  const again = await post('k1')
  expect([first.statusCode, first.json().error.code]).toEqual([500, 'internal_error'])
  expect([again.statusCode, again.body]).toEqual([500, first.body])
  expect(again.headers['idempotent-replayed']).toBe('true')
  expect(errors).toEqual([new Error('broken')])
  expect((await post('k2')).statusCode).toBe(201)
})
