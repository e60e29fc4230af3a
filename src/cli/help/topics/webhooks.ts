import { eventTypes } from '../../../contract/events.ts'
import { example, type HelpTopic, page, paragraph } from './topic.ts'

export const webhooks: HelpTopic = {
  name: 'webhooks',
  summary: 'Receive, verify, forward and replay webhooks on this machine',
  text: page(
    paragraph('WEBHOOKS ON YOUR MACHINE'),
    paragraph(
      '`bankapi webhooks listen` receives deliveries, verifies the signature of each, records it, and forwards it to your ' +
        'server. With the emulator it subscribes itself and removes the subscription at the end:',
    ),
    example(
      'bankapi emulator start                                    # terminal 1',
      'bankapi webhooks listen --env local --forward 3000/hooks  # terminal 2',
      'bankapi connections refresh con_FDE_123 --env local       # terminal 3',
    ),
    paragraph(
      'Elsewhere the service has to reach the listener: give its public address with --public-url, or the subscription ' +
        'whose secret is stored here with --subscription, or the secret in BANKAPI_WEBHOOK_SECRET or with --secret-stdin.',
    ),
    paragraph(
      'A signature is HMAC-SHA256 over X-LS-Webhook-Timestamp + "." + the raw body, with the signing secret; one older ' +
        'than five minutes is refused. While a secret is being rotated, either of two signatures counts. What does not ' +
        'verify is answered 401 and not forwarded. `bankapi webhooks verify` says why a signature does not match.',
    ),
    paragraph('Every delivery stays in the inbox of this machine:'),
    example(
      'bankapi webhooks events --failed',
      'bankapi webhooks show evt_123',
      'bankapi webhooks replay evt_123 --to 3000/hooks',
      'BANKAPI_WEBHOOK_SECRET=whsec_… bankapi webhooks trigger connection.active --to 3000/hooks',
      'bankapi webhooks expect connection.active --within 60s',
    ),
    paragraph('EVENT TYPES'),
    example(...eventTypes),
  ),
}
