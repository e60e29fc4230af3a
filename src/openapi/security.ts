/** Security schemes, and the ones that an operation takes. */
import { authOf, type Endpoint } from '../contract/endpoint.ts'
import { allows, scopes } from '../contract/scopes.ts'
import { headers, keyPrefixes } from '../contract/service.ts'
import type { Json } from './json.ts'

const { sandbox, live } = keyPrefixes

export const securitySchemes = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: `An API key: \`${sandbox}…\` in the sandbox, \`${live}…\` in production. The names beside it are scopes, one of which the key needs. That \`manage:webhooks\` includes reading and writing webhooks is assumed.`,
    'x-scopes': scopes,
  },
  portalBodySignature: {
    type: 'apiKey',
    in: 'header',
    name: headers.portalSignature,
    description: 'Hex HMAC-SHA256 over the raw body, keyed with the portal bootstrap secret.',
  },
  portalUserSignature: {
    type: 'apiKey',
    in: 'header',
    name: headers.portalSignature,
    description: `Hex HMAC-SHA256 over the value of ${headers.portalUser}, keyed with the portal bootstrap secret.`,
  },
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: headers.webhookSignature,
    description: `Hex HMAC-SHA256 over the value of ${headers.webhookTimestamp}, a dot and the raw body, keyed with the signing secret of the subscription. Refuse a timestamp of more than five minutes ago. For 24 hours after a rotation ${headers.webhookSignaturePrev} has the same under the previous secret.`,
  },
} as const satisfies Record<string, Json>

/** The alternatives: a key with any scope that allows the operation, a signature, or nothing. */
export function securityOf(endpoint: Endpoint): Readonly<Record<string, readonly string[]>>[] {
  switch (authOf(endpoint)) {
    case 'none':
      return []
    case 'portal-body':
      return [{ portalBodySignature: [] }]
    case 'portal-user':
      return [{ portalUserSignature: [] }]
    case 'bearer': {
      const { scope } = endpoint
      if (scope === null) return [{ apiKey: [] }]
      return scopes.filter((one) => allows([one], scope)).map((one) => ({ apiKey: [one] }))
    }
  }
}
