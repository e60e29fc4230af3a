/** JSON Schemas of the contract: named ones as components, all others in place, with references to the named. */
import * as z from 'zod'
import { Account, AccountType } from '../contract/accounts.ts'
import { ExpectedCapabilities, RealizedCapabilities } from '../contract/capabilities.ts'
import { Check } from '../contract/checks.ts'
import { Client } from '../contract/clients.ts'
import { ConnectSession } from '../contract/connect-sessions.ts'
import { Connection, ConnectionResult, ConnectionStatus, Reauthorization } from '../contract/connections.ts'
import { ApiError, ErrorEnvelope } from '../contract/errors.ts'
import { EventEnvelope, EventType, events, eventTypes } from '../contract/events.ts'
import * as ids from '../contract/ids.ts'
import { Institution } from '../contract/institutions.ts'
import { ApiKey, ApiKeyWithSecret } from '../contract/keys.ts'
import { MetricsSummary, WebhookDeliveryMetrics } from '../contract/metrics.ts'
import { Operation } from '../contract/operations.ts'
import { AccessRequestStatus, PortalRequest } from '../contract/portal.ts'
import { RedirectAllowlist } from '../contract/redirect-urls.ts'
import { Scope } from '../contract/scopes.ts'
import {
  Capability,
  CapabilityStatus,
  ConnectionSource,
  OperationAccepted,
  Source,
} from '../contract/shapes.ts'
import { Statement } from '../contract/statements.ts'
import { Transaction } from '../contract/transactions.ts'
import { Subscription, SubscriptionWithSecret } from '../contract/webhooks.ts'
import { type Comments, describe } from './descriptions.ts'
import { type Json, ref } from './json.ts'

const { connectionIdForm: _form, isOfSource: _source, ...schemasOfIds } = ids
/** By name: not every runtime lists the exports of a module in the same order. */
const idSchemas = Object.fromEntries(
  Object.entries(schemasOfIds).sort(([one], [other]) => (one < other ? -1 : 1)),
)

/** Schemas that the document names, and refers to wherever they occur. */
const named: Readonly<Record<string, z.ZodType>> = {
  ...idSchemas,
  ...{ Source, ConnectionSource, Capability, CapabilityStatus, Scope, EventType },
  ...{ ExpectedCapabilities, RealizedCapabilities, ApiError, ErrorEnvelope },
  ...{ Client, Institution, Connection, ConnectionStatus, ConnectionResult, Reauthorization, ConnectSession },
  ...{ Account, AccountType, Transaction, Statement, Check },
  ...{ Operation, OperationAccepted, Subscription, SubscriptionWithSecret, ApiKey, ApiKeyWithSecret },
  ...{ RedirectAllowlist, MetricsSummary, WebhookDeliveryMetrics, PortalRequest, AccessRequestStatus },
  ...Object.fromEntries(
    eventTypes.map((type) => [
      eventSchemaName(type),
      z.looseObject({ ...EventEnvelope.shape, type: z.literal(type), data: events[type].data }),
    ]),
  ),
}

/** `ConnectionActiveEvent` for `connection.active`. */
export function eventSchemaName(type: string): string {
  const words = type.split(/[._]/).map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${words.join('')}Event`
}

/** The components, by name. `comments` are the descriptions of fields. */
export function componentSchemas(comments: Comments): Record<string, Json> {
  const { schemas } = z.toJSONSchema(registryOf(), { ...options, io: 'output' })
  const made = Object.entries(schemas).map(([name, schema]) => {
    const path = eventTypes.find((type) => eventSchemaName(type) === name)
    if (path === undefined) return [name, describe(plain(schema), name, comments)] as const
    const of = describe(plain(schema), 'EventEnvelope', comments) as { readonly properties: Json }
    const data = describe(of.properties['data'] as Json, `events.${path}.data`, comments)
    const description = `A delivery of \`${path}\`.`
    return [name, { ...of, description, properties: { ...of.properties, data } }] as const
  })
  return { ...withResults(Object.fromEntries(made)), WebhookEvent: anyEvent() }
}

/** A delivery of any type, for what handles all of them. */
function anyEvent(): Json {
  const refs = eventTypes.map((type) => [type, ref('schemas', eventSchemaName(type))] as const)
  return {
    description: 'An event of any type: `type` tells which.',
    oneOf: refs.map(([, one]) => one),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(refs.map(([type, one]) => [type, one['$ref']])),
    },
  }
}

/** One schema in place: `input` as a request may have it, `output` as an answer has it. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const name = Object.keys(named).find((key) => named[key] === schema)
  if (name !== undefined) return ref('schemas', name)
  const registry = registryOf()
  registry.add(schema, { id: 'anonymous' })
  return plain(z.toJSONSchema(registry, { ...options, io }).schemas['anonymous'] ?? {})
}

function registryOf(): z.core.$ZodRegistry<{ id: string }> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  return registry
}

/** Formats that say what a pattern would repeat, in syntax that not every tool reads. Others are zod's own. */
const formats = ['date-time', 'date', 'email', 'uuid']

const options = {
  uri: (id: string) => `#/components/schemas/${id}`,
  override({ jsonSchema: schema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
    if (formats.includes(schema.format ?? '')) delete schema.pattern
    else if (schema.pattern !== undefined) delete schema.format
    // The contract's addresses may have letters beyond ASCII, which `email` has not.
    if (schema.format === 'email') schema.format = 'idn-email'
    // Objects are open: the service adds fields without a new version. That is what an object is where nothing is said.
    if (!isEmpty(schema.properties ?? {}) && isEmpty(schema.additionalProperties))
      delete schema.additionalProperties
    if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
    if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  },
} as const

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0
}

function plain(schema: object): Json {
  const { $schema, $id, id, ...rest } = schema as Record<string, unknown>
  return rest
}

/** An operation's `result` has the fields of its `kind`; only those of a Connection are shown in the reference. */
function withResults(schemas: Record<string, Json>): Record<string, Json> {
  const operation = schemas['Operation'] as { readonly properties: Json }
  const { description, ...any } = operation.properties['result'] as Json
  const result = { description, anyOf: [ref('schemas', 'ConnectionResult'), any] }
  return { ...schemas, Operation: { ...operation, properties: { ...operation.properties, result } } }
}
