/** Webhooks: a delivery of each event type, with the headers that it has. */
import { assumedEventFields } from '../contract/assumptions.ts'
import { type EventType, eventTypes, exampleEvent } from '../contract/events.ts'
import { headers } from '../contract/service.ts'
import type { Facts } from './facts.ts'
import { type Json, ref } from './json.ts'
import { eventSchemaName } from './schemas.ts'

const meanings: Readonly<Record<EventType, string>> = {
  'connection.requires_action': 'The user has to act: sign in, answer a question, choose accounts.',
  'connection.active': 'The user finished linking, or the Connection works again; it has the canonical id.',
  'connection.failed': 'A failure that the user cannot fix.',
  'connection.disconnected': 'Access ended, or the Connection was deleted.',
  'connection.capability_changed': 'A capability of an active Connection works no more, or works again.',
  'account.refresh.completed': 'A refresh of an account finished.',
  'account.refresh.failed': 'A refresh of an account failed.',
  'statement.available': 'A statement can be downloaded for the first time.',
  'webhook.test': 'A test delivery: nothing happened.',
}

const deliveryHeaders: readonly (readonly [
  name: string,
  description: string,
  schema: Json,
  required?: false,
])[] = [
  [headers.webhookEventId, 'The id of the event, equal to `event_id`. Dedupe on it.', { type: 'string' }],
  [headers.webhookEventType, 'The type of the event.', ref('schemas', 'EventType')],
  [
    headers.webhookTimestamp,
    'Unix seconds of this delivery attempt.',
    { type: 'string', pattern: '^[0-9]+$' },
  ],
  [
    headers.webhookSignature,
    'Hex HMAC-SHA256 over the timestamp, a dot and the raw body.',
    { type: 'string', pattern: '^[0-9a-f]{64}$' },
  ],
  [
    headers.webhookSignaturePrev,
    'The same under the previous secret, for 24 hours after a rotation.',
    { type: 'string', pattern: '^[0-9a-f]{64}$' },
    false,
  ],
]

const when = {
  uuid: '3f0c1b2a-7d4e-4b61-9c58-2e9f6a0d1c73',
  createdAt: '2026-05-22T10:00:00Z',
  livemode: false,
}

export function webhookPaths(facts: Facts): Json {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: delivery(type, facts) }]))
}

function delivery(type: EventType, facts: Facts): Json {
  const assumed = (assumedEventFields as Readonly<Record<string, readonly string[]>>)[type]
  return {
    operationId: `event_${type.replaceAll('.', '_')}`,
    tags: ['events'],
    summary: type,
    description: `${meanings[type]} The same event can arrive more than once and in any order: take it as a signal, and read the current state.`,
    security: [{ webhookSignature: [] }],
    parameters: deliveryHeaders.map(([name, description, schema, required = true]) => ({
      name,
      in: 'header',
      required,
      description,
      schema,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: ref('schemas', eventSchemaName(type)),
          examples: { event: facts.example(exampleEvent(type, when)) },
        },
      },
    },
    responses: {
      '2XX': { description: 'Received, within 30 seconds.' },
      default: {
        description: 'Anything else is a failure: delivered again, less and less often, for 24 hours.',
      },
    },
    'x-origin': 'documented',
    ...(assumed === undefined ? {} : { 'x-assumes': `fields below data: ${assumed.join(', ')}` }),
  }
}
