/** What the API's reference says, as short texts to look up and as pages, from the contract and the mirror's declaration. */
import * as z from 'zod'
import { authOf, type Endpoint, type Fields, isEmpty, isFile, successOf } from '../contract/endpoint.ts'
import { errorCodes } from '../contract/errors.ts'
import { events, eventTypes } from '../contract/events.ts'
import { scopes } from '../contract/scopes.ts'
import { apiVersion, basePath, headers, maxIdempotencyKeyLength, pageSize } from '../contract/service.ts'
import { capabilities, capabilityStatuses } from '../contract/shapes.ts'
import { visibleText } from './bank-text.ts'

export const kinds = ['operation', 'error', 'event', 'rule', 'table'] as const
export type Kind = (typeof kinds)[number]

export interface Entry {
  readonly kind: Kind
  readonly name: string
  /** In a list of all. */
  readonly summary: string
  readonly text: string
}

export const pages: Readonly<Record<Kind, { readonly title: string; readonly description: string }>> = {
  operation: { title: 'Operations of the API', description: 'Method, path, scope and purpose of each' },
  error: { title: 'Error codes', description: 'When each comes, and what to do' },
  event: { title: 'Webhook events', description: 'Every type with an example of its data' },
  rule: { title: 'Rules of the API', description: 'Pages, keys, scopes, headers, signatures' },
  table: { title: 'Tables and views of the mirror', description: 'What query_mirror can read' },
}

/** Every entry; made once, as the schemas of the whole contract take a while. */
export function everyEntry(): Promise<readonly Entry[]> {
  made ??= make()
  return made
}
let made: Promise<readonly Entry[]> | undefined

async function make(): Promise<readonly Entry[]> {
  const [{ everyEndpoint }, { describeSchema }] = await Promise.all([
    import('../contract/contract.ts'),
    import('../sync/mirror/schema.ts'),
  ])
  return [
    ...everyEndpoint().map(({ area, name, endpoint }) => operationEntry(`${area}.${name}`, endpoint)),
    ...Object.entries(errorCodes).map(([name, { status, condition, hint, userActionable }]): Entry => {
      const text = `${status === null ? 'In an operation or a connection' : `HTTP ${status}`}: ${condition}. ${hint}.`
      const who = userActionable ? 'The user can act.' : 'The user cannot act.'
      return { kind: 'error', name, summary: text, text: `${text} ${who}` }
    }),
    ...eventTypes.map((name): Entry => {
      const text = `data: ${JSON.stringify(events[name].example)}`
      return { kind: 'event', name, summary: text, text }
    }),
    ...Object.entries(rules).map(([name, text]): Entry => ({ kind: 'rule', name, summary: text, text })),
    ...describeSchema().map(({ name, kind, means, columns }): Entry => {
      const text = `${kind}: ${means.replace(/\.$/, '')}. Columns: ${columns.map((column) => `${column.name} ${column.type}`).join(', ')}`
      return { kind: 'table', name, summary: text, text }
    }),
  ]
}

const rules = {
  pagination: `A list has {data, next_cursor, has_more}; limit is 1 to ${pageSize.max}, by default ${pageSize.default}, and a larger one is capped. A cursor belongs to the query that made it.`,
  'idempotency key': `${headers.idempotencyKey} has up to ${maxIdempotencyKeyLength} characters; a repeat with another request is idempotency_conflict, one while the first runs request_in_progress. A replayed answer has ${headers.idempotentReplayed}.`,
  scopes: `A key has some of: ${scopes.join(', ')}.`,
  capabilities: `A connection and an account have realized_capabilities of ${capabilities.join(', ')}, each with a status: ${capabilityStatuses.join(', ')}.`,
  'webhook signature': `${headers.webhookSignature} is HMAC-SHA256, in hex, of "<${headers.webhookTimestamp}>.<exact body>" with the whole signing secret (whsec_…); for 24 hours after a rotation ${headers.webhookSignaturePrev} has that of the old secret. A timestamp more than five minutes old is refused.`,
  'webhook envelope': `event_id, type, created_at, api_version (${apiVersion}), livemode, data. An event comes at least once and in any order: tell repeats by the exact event_id.`,
  money:
    'Amounts are in major units of iso_currency_code. Money out of an account is negative; a balance is positive when held, negative when owed.',
  'trace id': `Every answer has ${headers.traceId}, and every error trace_id: give it to the support.`,
  address: `Paths are below the base address, which ends in ${basePath}.`,
}

function operationEntry(name: string, endpoint: Endpoint): Entry {
  const {
    method,
    path,
    summary,
    scope,
    query,
    headers: more,
    body,
    upload,
    retry,
    origin,
    assumes,
  } = endpoint
  const title = `${method} ${path}: ${summary}.`
  const needs = authOf(endpoint) === 'bearer' ? `Scope: ${scope ?? 'none'}.` : `Signed: ${authOf(endpoint)}.`
  const takes = fieldNames({ ...query, ...more, ...body, ...(upload ? { [upload]: z.string() } : {}) })
  const { status, body: success } = successOf(endpoint)
  const returns = isEmpty(success)
    ? ''
    : isFile(success)
      ? success.file.join(', ')
      : fieldsOf(success).join(', ')
  const text = [
    title,
    needs,
    takes.length === 0 ? '' : `Takes ${takes.join(', ')}.`,
    `Returns ${status}${returns === '' ? '' : `: ${returns}`}.`,
    retry === 'never' ? 'Never sent again by itself.' : '',
    origin === 'assumed' ? 'The reference does not show it: assumed.' : '',
    assumes === undefined ? '' : `Assumed: ${assumes}.`,
  ]
  return {
    kind: 'operation',
    name,
    summary: `${title} ${needs}`,
    text: text.filter((part) => part !== '').join(' '),
  }
}

/** Optional ones have a question mark. */
function fieldNames(fields: Fields): string[] {
  return Object.entries(fields).map(
    ([name, field]) => `${name}${field.safeParse(undefined).success ? '?' : ''}`,
  )
}

interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

/** The fields of a body, or of the rows of a page, with the values of an enumeration. */
function fieldsOf(schema: z.ZodType): string[] {
  const { properties = {} } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }) as JsonSchema
  const row = properties['data']?.items?.properties
  return Object.entries(row ?? properties).map(([name, field]) => `${name}${valuesOf(field)}`)
}

function valuesOf({ enum: values, const: only, anyOf, properties }: JsonSchema): string {
  const known = values ?? (only === undefined ? anyOf?.find((one) => one.enum)?.enum : [only])
  if (known !== undefined) return ` (${known.join('|')})`
  return properties === undefined ? '' : ` {${Object.keys(properties).join(', ')}}`
}

/** Those with all of the words, or else with the most of them; one whose name has them comes first. */
export function matching(entries: readonly Entry[], words: string): readonly Entry[] {
  const wanted = visibleText(words)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  const scored = entries
    .map((entry) => {
      const name = entry.name.toLowerCase()
      const all = `${entry.kind} ${name} ${entry.text.toLowerCase()}`
      const found = wanted.filter((word) => all.includes(word)).length
      const named = wanted.filter((word) => name.includes(word)).length
      const isName = name === words.toLowerCase().trim()
      return { entry, found, rank: found * 10 + named * 5 + (isName ? 100 : 0) }
    })
    .filter(({ found }) => found > 0)
  const most = Math.max(...scored.map(({ found }) => found))
  return scored
    .filter(({ found }) => found === most)
    .toSorted((one, other) => other.rank - one.rank)
    .map(({ entry }) => entry)
}

/** A page of a kind, as Markdown. */
export function pageOf(kind: Kind, entries: readonly Entry[]): string {
  const lines = entries
    .filter((entry) => entry.kind === kind)
    .map(({ name, summary }) => `- ${name}: ${summary}`)
  return `# ${pages[kind].title}\n\n${lines.join('\n')}\n`
}
