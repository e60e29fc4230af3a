/** Schemas of capabilities: those a Connection promises, and those observed on a Connection or an Account. */
import * as z from 'zod'
import { ApiError } from './errors.ts'
import { Capability, CapabilityStatus, DateTime } from './shapes.ts'

/** The source's promise, per capability. */
export const ExpectedCapabilities = z.partialRecord(
  Capability,
  z.looseObject({ promise: z.enum(['always', 'sometimes', 'never']) }),
)

/** The observed status, per capability. Tracked at bank level: shared by the accounts of one Connection. */
export const RealizedCapabilities = z.partialRecord(
  Capability,
  z.looseObject({
    status: CapabilityStatus,
    last_success_at: DateTime.optional(),
    next_refresh_after: DateTime.optional(),
    last_error: ApiError.optional(),
  }),
)
export type RealizedCapabilities = z.infer<typeof RealizedCapabilities>
