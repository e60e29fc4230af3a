/** Schemas of what the emulator's commands print under `--json`. Strict, as these documents are this project's own. */
import { z } from 'zod'
import { DateTime } from '../../src/contract/shapes.ts'
import type { JsonOutput } from './json-output.ts'

const base = z.strictObject({ base_url: z.string(), api_key: z.string(), portal_secret: z.string() })

const status = z.strictObject({
  pid: z.number().int(),
  seed: z.number().int(),
  sandbox: base,
  live: base,
  control_url: z.string(),
  console_url: z.string(),
  clock: DateTime,
  clock_ahead_ms: z.number(),
  data_file: z.string().nullable(),
  failures: z.number().int(),
  jobs_waiting: z.number().int(),
  next_job_at: DateTime.nullable(),
  deliveries: z.strictObject({
    pending: z.number().int(),
    delivered: z.number().int(),
    given_up: z.number().int(),
  }),
  faults: z.number().int(),
})

const fault = z.strictObject({
  id: z.string(),
  pattern: z.string(),
  status: z.number().int().optional(),
  times: z.number().int().optional(),
  delay_ms: z.number().optional(),
  drop: z.boolean().optional(),
  truncate: z.boolean().optional(),
  retry_after: z.number().int().optional(),
  refuse_cursor: z.boolean().optional(),
  after: z.number().int().optional(),
  struck: z.number().int(),
})

const request = z.strictObject({
  id: z.number().int(),
  at: DateTime,
  environment: z.enum(['sandbox', 'live']),
  method: z.string(),
  path: z.string(),
  status: z.number().int().nullable(),
  complete: z.boolean(),
  ms: z.number().int(),
  key_prefix: z.string().nullable(),
  error_code: z.string().nullable(),
  trace_id: z.string(),
  request_body: z.string().nullable().optional(),
  response_body: z.string().nullable().optional(),
})

export const emulatorOutputs: Readonly<Record<string, JsonOutput>> = {
  'emulator advance': { schema: z.strictObject({ clock: DateTime, jobs_run: z.number().int() }) },
  'emulator bank': {
    schema: z.strictObject({
      change: z.string(),
      account_id: z.string().optional(),
      transaction_id: z.string().optional(),
      connection_id: z.string().optional(),
      count: z.number().int().optional(),
    }),
  },
  'emulator faults add': { schema: fault },
  'emulator faults clear': { schema: z.strictObject({ cleared: z.number().int() }) },
  'emulator faults list': { schema: z.strictObject({ data: z.array(fault) }) },
  'emulator link': {
    schema: z.strictObject({ connection_id: z.string(), client_id: z.string(), environment: z.string() }),
  },
  'emulator logs': { schema: z.strictObject({ data: z.array(request), has_more: z.boolean() }) },
  'emulator refuse-cursors': { schema: z.strictObject({}) },
  'emulator reset': { schema: status },
  'emulator start': {
    schema: z.strictObject({
      ready: z.literal(true),
      pid: z.number().int(),
      console_url: z.string(),
      sandbox: base,
      live: base,
    }),
    perLine: true,
  },
  'emulator status': { schema: status },
  'emulator stop': { schema: z.strictObject({ pid: z.number().int(), stopped: z.literal(true) }) },
  'emulator trigger': { schema: z.looseObject({ triggered: z.string() }) },
}
