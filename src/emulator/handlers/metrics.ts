/** Handlers of the metrics and of the liveness probe. */
import type { health as healthContract } from '../../contract/health.ts'
import type { metrics as metricsContract } from '../../contract/metrics.ts'
import { deliveriesOf, summaryOf, windowOf } from '../engine/metrics.ts'
import type { Handlers } from './handler.ts'

export const metrics: Handlers<typeof metricsContract> = {
  summary: ({ from, to }, { engine, tenant }) => summaryOf(engine, tenant.seq, windowOf(engine, from, to)),

  webhookDelivery: ({ from, to }, { engine, tenant }) =>
    deliveriesOf(engine, tenant.seq, windowOf(engine, from, to)),
}

export const health: Handlers<typeof healthContract> = {
  check: () => ({ status: 'ok' }),
}
