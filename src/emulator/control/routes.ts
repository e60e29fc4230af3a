/** HTTP routes of the controls, under `/_emulator/` on the sandbox base's port. */
import type { FastifyInstance } from 'fastify'
import * as z from 'zod'
import { invalidFields, ServiceError } from '../engine/errors.ts'
import { BankOrder } from './bank-order.ts'
import type { Controls } from './controls.ts'
import { TriggerOrder } from './trigger-order.ts'

export const controlPath = '/_emulator'

/** A web page cannot send it to another origin without a preflight, and no preflight is ever answered. */
const header = 'x-bankapi-emulator'

const Advance = z.strictObject({
  ms: z
    .number()
    .int()
    .min(0)
    .max(10 * 366 * 86_400_000),
})
const Link = z.strictObject({ connection_id: z.string().min(1) })
/** Longest pattern of a fault. */
const maxPattern = 200

const FaultOrder = z.strictObject({
  pattern: z.string().min(1).max(maxPattern),
  status: z.number().int().min(200).max(599).optional(),
  delay_ms: z.number().int().min(0).max(600_000).optional(),
  drop: z.boolean().optional(),
  truncate: z.boolean().optional(),
  retry_after: z.number().int().min(0).max(86_400).optional(),
  refuse_cursor: z.boolean().optional(),
  after: z.number().int().min(0).optional(),
  times: z.number().int().min(1).optional(),
})

const flag = z
  .enum(['0', '1'])
  .default('0')
  .transform((text) => text === '1')
const Requests = z.strictObject({
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  failed: flag,
  bodies: flag,
})

/** `jsonOf` gives the parsed body. */
export function controlRoutes(
  app: FastifyInstance,
  controls: Controls,
  jsonOf: (body: unknown) => unknown,
): void {
  const { faults } = controls
  app.register(
    async (scope) => {
      scope.addHook('onRequest', async (request) => {
        if (request.headers[header] === '1') return
        throw new ServiceError(
          'invalid_request',
          'The controls take requests with the header X-Bankapi-Emulator: 1.',
          {
            status: 403,
          },
        )
      })
      scope.get('/status', async () => controls.status())
      scope.post('/advance', async ({ body }) => controls.advance(read(Advance, jsonOf(body)).ms))
      scope.post('/link', async ({ body }) => controls.link(read(Link, jsonOf(body)).connection_id))
      scope.post('/trigger', async ({ body }) => controls.trigger(read(TriggerOrder, jsonOf(body))))
      scope.post('/bank', async ({ body }) => controls.changeAtBank(read(BankOrder, jsonOf(body))))
      scope.post('/refuse-cursors', async () => {
        controls.refuseCursors()
        return {}
      })
      scope.post('/reset', async () => {
        await controls.reset()
        return controls.status()
      })
      scope.get('/requests', async ({ query }) => controls.requests(read(Requests, query)))
      scope.get('/faults', async () => ({ data: faults.list() }))
      scope.post('/faults', async ({ body }) => {
        const order = read(FaultOrder, jsonOf(body))
        try {
          return faults.add(stated(order))
        } catch (error) {
          throw new ServiceError('validation_failed', error instanceof Error ? error.message : 'not a fault')
        }
      })
      scope.delete('/faults', async () => ({ cleared: faults.clear() }))
    },
    { prefix: controlPath },
  )
}

function read<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value ?? {})
  if (result.success) return result.data
  const errors = result.error.issues.map((issue) => ({
    param: issue.path.join('.'),
    message: issue.message,
    code: issue.code ?? 'invalid',
  }))
  throw invalidFields(errors)
}

type Stated<T> = { [K in keyof T]: Exclude<T[K], undefined> }

/** Without the keys whose value is undefined. */
function stated<T extends object>(value: T): Stated<T> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as Stated<T>
}
