import type { metrics as contract } from '../../contract/metrics.ts'
import { deliveriesOf, summaryOf, windowOf } from '../engine/metrics.ts'
import type { Handlers } from './handler.ts'

export const metrics: Handlers<typeof contract> = {
  summary: ({ from, to }, { engine, tenant }) => summaryOf(engine, tenant.seq, windowOf(engine, from, to)),

  webhookDelivery: ({ from, to }, { engine, tenant }) =>
    deliveriesOf(engine, tenant.seq, windowOf(engine, from, to)),
}
