/** Shapes that several resources share. */
import * as z from 'zod'

/** ISO-8601 date-time with an offset or Z. */
export const DateTime = z.iso.datetime({ offset: true })
/** Calendar date, YYYY-MM-DD. */
export const CalendarDate = z.iso.date()
/** ISO-4217 code. */
export const Currency = z.string().regex(/^[A-Z]{3}$/)

/** Where data comes from. `PDF` is read-only: never a Connection. */
export const sources = ['AGGREGATOR_A', 'AGGREGATOR_B', 'FDE', 'PDF'] as const
export const Source = z.enum(sources)
export type Source = z.infer<typeof Source>
export const ConnectionSource = z.enum(['AGGREGATOR_A', 'AGGREGATOR_B', 'FDE'])
export type ConnectionSource = z.infer<typeof ConnectionSource>

export const capabilities = [
  'transactions',
  'balance',
  'available_balance',
  'statements',
  'check_images',
] as const
export const Capability = z.enum(capabilities)
export type Capability = z.infer<typeof Capability>

export const capabilityStatuses = ['succeeded', 'failed', 'skipped', 'unsupported', 'pending'] as const
export const CapabilityStatus = z.enum(capabilityStatuses)
export type CapabilityStatus = z.infer<typeof CapabilityStatus>

/** The pagination envelope around `item`. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.looseObject({
    data: z.array(item),
    next_cursor: z.string().nullish(),
    has_more: z.boolean(),
  })
}

/** Query of every list: page size 1 to 500 (default 100, larger values capped by the service) and an opaque cursor. */
export const paging = {
  limit: z.number().int().min(1).optional(),
  cursor: z.string().min(1).optional(),
} as const

/** Answer to every asynchronous call. */
export const OperationAccepted = z.looseObject({
  operation_id: z.string(),
  status: z.literal('queued'),
  poll_url: z.string(),
  /** A best-effort floor, in seconds. */
  estimated_seconds: z.number().int().optional(),
})
export type OperationAccepted = z.infer<typeof OperationAccepted>
