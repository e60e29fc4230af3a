/**
 * Schemas of what each command prints under `--json`. Where that is the answer of the command's operation, the contract has
 * the schema; the table below has the others.
 */
import { z } from 'zod'
import { commandOperations } from '../../src/cli/command/command-operations.ts'
import type AccountsHistory from '../../src/commands/accounts/history.ts'
import type ConfigGet from '../../src/commands/config/get.ts'
import type ConfigList from '../../src/commands/config/list.ts'
import type ConfigPath from '../../src/commands/config/path.ts'
import type ConfigProfileAdd from '../../src/commands/config/profile/add.ts'
import type ConfigProfileList from '../../src/commands/config/profile/list.ts'
import type ConfigProfileRemove from '../../src/commands/config/profile/remove.ts'
import type ConfigSet from '../../src/commands/config/set.ts'
import type ConfigUnset from '../../src/commands/config/unset.ts'
import type ConnectSessionsDelete from '../../src/commands/connect-sessions/delete.ts'
import type ConnectionsDelete from '../../src/commands/connections/delete.ts'
import type ConnectionsInitiate from '../../src/commands/connections/initiate.ts'
import type ConnectionsReauthorize from '../../src/commands/connections/reauthorize.ts'
import type ConnectionsRefresh from '../../src/commands/connections/refresh.ts'
import type ConnectionsTriage from '../../src/commands/connections/triage.ts'
import type Doctor from '../../src/commands/doctor.ts'
import type HealthCheck from '../../src/commands/health.ts'
import type KeysCreate from '../../src/commands/keys/create.ts'
import type KeysRevoke from '../../src/commands/keys/revoke.ts'
import type Login from '../../src/commands/login.ts'
import type Logout from '../../src/commands/logout.ts'
import type OperationsList from '../../src/commands/operations/list.ts'
import type OperationsWait from '../../src/commands/operations/wait.ts'
import type RedirectUrlsAdd from '../../src/commands/redirect-urls/add.ts'
import type RedirectUrlsClear from '../../src/commands/redirect-urls/clear.ts'
import type RedirectUrlsRemove from '../../src/commands/redirect-urls/remove.ts'
import type ReportsGenerate from '../../src/commands/reports/generate.ts'
import type StatementsDownload from '../../src/commands/statements/download.ts'
import type StatementsExtract from '../../src/commands/statements/extract.ts'
import type WebhooksCreate from '../../src/commands/webhooks/create.ts'
import type WebhooksDelete from '../../src/commands/webhooks/delete.ts'
import type WebhooksRotateSecret from '../../src/commands/webhooks/rotate-secret.ts'
import type Whoami from '../../src/commands/whoami.ts'
import { AccountType } from '../../src/contract/accounts.ts'
import { Connection, Reauthorization } from '../../src/contract/connections.ts'
import { isEmpty, isFile, successOf } from '../../src/contract/endpoint.ts'
import { ApiKey, ApiKeyWithSecret } from '../../src/contract/keys.ts'
import { Operation } from '../../src/contract/operations.ts'
import { RedirectAllowlist } from '../../src/contract/redirect-urls.ts'
import { CalendarDate, DateTime, OperationAccepted } from '../../src/contract/shapes.ts'
import { Subscription, SubscriptionWithSecret } from '../../src/contract/webhooks.ts'
import { groupings, type SummaryRow } from '../../src/workflows/transaction-sums.ts'
import { actors } from '../../src/workflows/triage.ts'
import { emulatorOutputs } from './emulator-outputs.ts'
import { inboxOutputs } from './inbox-outputs.ts'
import { type JsonOutput, shape } from './json-output.ts'
import { syncOutputs } from './sync-outputs.ts'

/** local, sandbox, live, or the name of a profile. */
const environment = z.string()
const profile = z.strictObject({
  name: z.string(),
  mode: z.enum(['sandbox', 'live']),
  base_url: z.string().nullable(),
  client_id: z.string().nullable(),
  default: z.boolean(),
})
const valueSource = z.enum(['flag', 'environment', 'setting', 'emulator', 'default'])
const keySource = z.enum(['environment', 'keychain', 'file', 'emulator'])
const settingValue = z.union([z.string(), z.boolean()])
const saved = z.strictObject({
  id: z.string(),
  file: z.string(),
  bytes: z.number().int(),
  content_type: z.string(),
})
/** Rows of many, and how many ended how. */
const bulk = <Row extends z.ZodType>(row: Row) =>
  z.strictObject({ data: z.array(row), summary: z.record(z.string(), z.number().int()) })
const downloads = z.union([
  saved,
  bulk(
    z.strictObject({
      id: z.string(),
      account_id: z.string(),
      outcome: z.enum(['saved', 'there', 'no_file', 'failed', 'left']),
      file: z.string().nullable(),
      bytes: z.number().int().nullable(),
      content_type: z.string().nullable(),
      code: z.string().nullable(),
      message: z.string().nullable(),
    }),
  ),
])
const connectionRow = {
  connection_id: z.string(),
  client_id: z.string().nullable(),
  client_external_id: z.string().nullable(),
  institution_name: z.string().nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
}
const startedOrDone = z.union([OperationAccepted, Operation])

const balanceBasis = z.enum(['transactions', 'mirror'])
const summaryRow: z.ZodType<SummaryRow> = z.strictObject({
  by: z.enum(groupings),
  group: z.string().nullable(),
  iso_currency_code: z.string(),
  transactions: z.number().int(),
  money_in: z.number(),
  money_out: z.number(),
  net: z.number(),
})

const own: Readonly<Record<string, JsonOutput>> = {
  'accounts history': shape<AccountsHistory>(
    z.strictObject({
      account_id: z.string(),
      account_name: z.string().nullable(),
      mask: z.string().nullable(),
      type: AccountType,
      iso_currency_code: z.string(),
      basis: z.enum([...balanceBasis.options, 'both']),
      transactions: z.number().int(),
      reason: z.string().nullable(),
      data: z.array(
        z.strictObject({
          date: CalendarDate,
          current_balance: z.number(),
          iso_currency_code: z.string(),
          basis: balanceBasis,
        }),
      ),
    }),
  ),
  'checks download': shape<StatementsDownload>(downloads),
  'config get': shape<ConfigGet>(settingValue),
  'config list': shape<ConfigList>(
    z.union([
      z.record(z.string(), settingValue),
      z.array(z.strictObject({ name: z.string(), about: z.string() })),
    ]),
  ),
  'config path': shape<ConfigPath>(z.strictObject({ settings: z.string(), data: z.string() })),
  'config profile add': shape<ConfigProfileAdd>(profile),
  'config profile list': shape<ConfigProfileList>(z.strictObject({ data: z.array(profile) })),
  'config profile remove': shape<ConfigProfileRemove>(
    z.strictObject({
      name: z.string(),
      removed: z.literal(true),
      forgotten: z.array(z.string()),
      mirror: z.string().nullable(),
    }),
  ),
  'config set': shape<ConfigSet>(z.record(z.string(), settingValue)),
  'config unset': shape<ConfigUnset>(z.strictObject({ name: z.string(), was_set: z.boolean() })),
  'connect-sessions delete': shape<ConnectSessionsDelete>(z.strictObject({ deleted: z.literal(true) })),
  'connections delete': shape<ConnectionsDelete>(
    z.strictObject({ id: z.string(), deleted: z.literal(true) }),
  ),
  'connections initiate': shape<ConnectionsInitiate>(z.union([OperationAccepted, Operation, Connection])),
  'connections reauthorize': shape<ConnectionsReauthorize>(
    z.union([
      Reauthorization,
      bulk(
        z.strictObject({
          ...connectionRow,
          outcome: z.enum(['made', 'reused', 'skipped', 'failed', 'unknown', 'left']),
          expires_at: DateTime.nullable(),
        }),
      ),
    ]),
  ),
  'connections refresh': shape<ConnectionsRefresh>(
    z.union([
      startedOrDone,
      bulk(
        z.strictObject({
          ...connectionRow,
          outcome: z.enum(['succeeded', 'accepted', 'running', 'failed', 'unknown', 'left', 'skipped']),
          operation_id: z.string().nullable(),
        }),
      ),
    ]),
  ),
  'connections triage': shape<ConnectionsTriage>(
    z.strictObject({
      data: z.array(
        z.strictObject({
          connection_id: z.string(),
          client_id: z.string(),
          client_external_id: z.string().nullable(),
          institution_name: z.string().nullable(),
          source: z.string(),
          status: z.string(),
          since: DateTime.nullable(),
          code: z.string().nullable(),
          reason: z.string(),
          who_can_act: z.enum(actors),
          stale_accounts: z.array(z.string()),
          next: z.string(),
        }),
      ),
      checked: z.number().int(),
      linked_again: z.array(z.string()),
    }),
  ),
  doctor: shape<Doctor>(
    z.strictObject({
      checks: z.array(
        z.strictObject({
          name: z.enum([
            ...['node', 'settings', 'base_url', 'keychain', 'service'],
            ...['clock', 'key', 'scopes', 'inbox', 'emulator', 'updates'],
          ] as const),
          status: z.enum(['ok', 'warning', 'failed', 'skipped']),
          message: z.string(),
          hint: z.string().nullable(),
          exit_code: z.number().int().nullable(),
        }),
      ),
      exit_code: z.number().int(),
    }),
  ),
  health: shape<HealthCheck>(z.looseObject({ base_url: z.string(), duration_ms: z.number() })),
  'keys create': shape<KeysCreate>(z.union([ApiKeyWithSecret, ApiKey])),
  'keys revoke': shape<KeysRevoke>(z.strictObject({ id: z.string(), status: z.literal('revoked') })),
  login: shape<Login>(
    z.strictObject({
      environment,
      base_url: z.string(),
      stored: z.enum(['api_key', 'portal_secret']),
      stored_in: z.enum(['keychain', 'file']),
      checked: z.boolean().nullable(),
    }),
  ),
  logout: shape<Logout>(z.strictObject({ environment, forgotten: z.array(z.string()) })),
  'operations list': shape<OperationsList>(
    z.strictObject({
      data: z.array(
        z.strictObject({
          id: z.string(),
          type: z.string().nullable(),
          subject: z.string().nullable(),
          status: z.string(),
          started_at: DateTime,
          seen_at: DateTime,
          completed_at: DateTime.nullable(),
        }),
      ),
      has_more: z.boolean(),
    }),
  ),
  'operations tail': { schema: Operation, perLine: true },
  'operations wait': shape<OperationsWait>(Operation),
  'redirect-urls add': shape<RedirectUrlsAdd>(RedirectAllowlist),
  'redirect-urls clear': shape<RedirectUrlsClear>(z.strictObject({ cleared: z.literal(true) })),
  'redirect-urls remove': shape<RedirectUrlsRemove>(RedirectAllowlist),
  'reports generate': shape<ReportsGenerate>(startedOrDone),
  'statements download': shape<StatementsDownload>(downloads),
  'statements extract': shape<StatementsExtract>(startedOrDone),
  'transactions summary': {
    schema: z.strictObject({
      data: z.array(summaryRow),
      next_cursor: z.null(),
      has_more: z.boolean(),
    }),
  },
  'webhooks create': shape<WebhooksCreate>(z.union([SubscriptionWithSecret, Subscription])),
  'webhooks delete': shape<WebhooksDelete>(z.strictObject({ id: z.string(), deleted: z.literal(true) })),
  'webhooks rotate-secret': shape<WebhooksRotateSecret>(z.union([SubscriptionWithSecret, Subscription])),
  whoami: shape<Whoami>(
    z.strictObject({
      environment,
      environment_source: valueSource,
      mode: z.enum(['local', 'sandbox', 'live']),
      base_url: z.string(),
      base_url_source: valueSource,
      key_prefix: z.string(),
      key_source: keySource,
      key_base_url: z.string().nullable(),
      accepted: z.boolean().nullable(),
    }),
  ),
  ...inboxOutputs,
  ...emulatorOutputs,
  ...syncOutputs,
}

/** Commands without a schema, and what they print. */
export const shapeless: Readonly<Record<string, string>> = {
  api: 'prints the body of whatever was asked for',
  completion: 'prints a script',
  'completion values': 'prints one word per line, for the script',
  'emulator exec': 'prints what the command prints',
  help: 'prints text for people',
  mcp: 'prints messages of the Model Context Protocol',
  openapi: 'prints an OpenAPI document, which has a schema of its own',
  tui: 'prints the events of a session, one JSON object per line, for people to read along',
}

/** Every schema by the words of its command, sorted. */
export function jsonOutputs(): Record<string, JsonOutput> {
  const fromContract = commandOperations().flatMap(({ command, endpoint }): [string, JsonOutput][] => {
    const { body } = successOf(endpoint)
    return command === null || isFile(body) || isEmpty(body) ? [] : [[command, { schema: body }]]
  })
  const all = { ...Object.fromEntries(fromContract), ...own }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}
