/** Schemas of what the commands of the mirror print under `--json`. */
import { z } from 'zod'
import type { Refreshes } from '../../src/commands/sync/_refresh.ts'
import type { Reread } from '../../src/commands/sync/_watch.ts'
import type SyncForget from '../../src/commands/sync/forget.ts'
import type SyncLineageConfirm from '../../src/commands/sync/lineage/confirm.ts'
import type SyncLineageList from '../../src/commands/sync/lineage/list.ts'
import type SyncLineageReject from '../../src/commands/sync/lineage/reject.ts'
import type SyncQuery from '../../src/commands/sync/query.ts'
import type SyncSchema from '../../src/commands/sync/schema.ts'
import type SyncStatus from '../../src/commands/sync/status.ts'
import type SyncWorker from '../../src/commands/sync/worker.ts'
import { DateTime } from '../../src/contract/shapes.ts'
import type { SyncSummary } from '../../src/sync/run.ts'
import { listening } from './inbox-outputs.ts'
import { type JsonOutput, shape } from './json-output.ts'

const count = z.number().int()
const counts = z.strictObject({ new: count, changed: count, settled: count, gone: count })
const kind = z.enum(['clients', 'connections', 'accounts', 'transactions', 'statements', 'checks'])
const failure = { kind: z.string(), subject: z.string(), code: z.string(), message: z.string() }

const refreshes: z.ZodType<Refreshes> = z.strictObject({
  refreshed: count,
  failed: z.array(z.strictObject({ connection_id: z.string(), code: z.string(), message: z.string() })),
})

const summary: z.ZodType<SyncSummary & { readonly refreshes?: Refreshes }> = z.strictObject({
  outcome: z.enum(['complete', 'failed']),
  mirror: z.string(),
  started_at: DateTime,
  duration_ms: count,
  requests: count,
  clients: count,
  counts: z.strictObject({
    clients: counts,
    connections: counts,
    accounts: counts,
    transactions: counts,
    statements: counts,
    checks: counts,
  }),
  failed: z.array(z.strictObject({ ...failure, client_id: z.string().nullable() })),
  missing_scopes: z.array(z.strictObject({ kind: z.string(), message: z.string() })),
  refreshes: refreshes.exactOptional(),
})

/** With `--watch`: a line per reading of a Client, beside those of the listener and the summary of each run. */
const reread: z.ZodType<Reread> = z.strictObject({
  reread_at: DateTime,
  client_id: z.string(),
  read: z.array(z.string()),
  ...counts.shape,
  failed: z.array(z.strictObject(failure)),
  duration_ms: count,
})

const state = z.enum(['fresh', 'failing', 'unfinished', 'stale', 'missing_scope'])
const age = { state, complete_since: DateTime.nullable(), behind_seconds: count.nullable() }
const trouble = z.strictObject({ ...failure, failures: count })

const lineage = z.strictObject({
  old_account_id: z.string(),
  new_account_id: z.string(),
  client_id: z.string(),
  account_name: z.string().nullable(),
  mask: z.string().nullable(),
  match: z.string().nullable(),
  matching_rows: count.nullable(),
  decision: z.string().nullable(),
  since: z.string().nullable(),
  applied: z.boolean(),
})

export const syncOutputs: Readonly<Record<string, JsonOutput>> = {
  sync: { schema: z.union([summary, reread, ...listening]) },
  'sync forget': shape<SyncForget>(
    z.strictObject({
      client_id: z.string(),
      forgotten: z.literal(true),
      rows: count,
      files: count,
      deliveries: count,
    }),
  ),
  'sync lineage confirm': shape<SyncLineageConfirm>(lineage),
  'sync lineage list': shape<SyncLineageList>(z.strictObject({ data: z.array(lineage) })),
  'sync lineage reject': shape<SyncLineageReject>(lineage),
  'sync query': shape<SyncQuery>(z.strictObject({ data: z.array(z.record(z.string(), z.unknown())) })),
  'sync schema': shape<SyncSchema>(
    z.strictObject({
      data: z.array(
        z.strictObject({
          name: z.string(),
          kind: z.enum(['table', 'view']),
          means: z.string(),
          key: z.array(z.string()),
          columns: z.array(
            z.strictObject({
              name: z.string(),
              type: z.enum(['text', 'integer', 'money', 'time', 'date', 'boolean', 'json']),
              required: z.boolean(),
              means: z.string(),
            }),
          ),
        }),
      ),
      sql: z.string().exactOptional(),
    }),
  ),
  'sync status': shape<SyncStatus>(
    z.strictObject({
      mirror: z.string(),
      environment: z.string().nullable(),
      base_url: z.string().nullable(),
      state,
      max_age_seconds: count.nullable(),
      last_run: z
        .strictObject({
          mode: z.string().nullable(),
          started_at: DateTime,
          ended_at: DateTime.nullable(),
          outcome: z.string().nullable(),
        })
        .nullable(),
      kinds: z.array(z.strictObject({ kind, ...age, rows: count, streams: count, failing: count })),
      clients: z.array(
        z.strictObject({
          client_id: z.string(),
          external_id: z.string().nullable(),
          name: z.string().nullable(),
          ...age,
          rows: count,
          failing: z.array(trouble),
        }),
      ),
      has_more: z.boolean(),
      failing: z.array(trouble),
      dead_letters: z.array(
        z.strictObject({
          client_id: z.string().nullable(),
          code: z.string(),
          message: z.string(),
          retries: count,
          failed_at: DateTime,
        }),
      ),
    }),
  ),
  'sync worker': shape<SyncWorker>(
    z.strictObject({
      mirror: z.string(),
      clients: count,
      requests: count,
      given_back: count,
      failed: z.array(z.strictObject({ ...failure, client_id: z.string().nullable() })),
    }),
  ),
}
