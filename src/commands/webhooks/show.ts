import { Args } from '@oclif/core'
import { safeBlock } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'
import { type DeliveryDocument, deliveryDocument, verdictOf } from './_delivery-document.ts'
import { InboxCommand } from './_inbox-command.ts'

interface Shown {
  readonly data: readonly DeliveryDocument[]
}

export default class WebhooksShow extends InboxCommand<typeof WebhooksShow, Shown> {
  static override summary =
    'Show the deliveries of an event: headers, body, verdict, and what the target said'
  static override description =
    'Every delivery of the event that this machine received or replayed, oldest first. Under --json, body_base64 holds the ' +
    'exact bytes. What has no event id is shown by its number in the inbox.'
  static override examples = [
    '<%= config.bin %> webhooks show evt_4f1d2c9b8a7e6f5d4c3b2a19',
    "<%= config.bin %> webhooks show evt_4f1d2c9b8a7e6f5d4c3b2a19 --jq '.data[-1].event'",
  ]
  static override args = {
    event: Args.string({
      description: 'Event id, or number of a delivery in the inbox',
      required: true,
      ignoreStdin: true,
    }),
  }

  protected override async execute(): Promise<Shown> {
    return { data: (await this.deliveriesOf(this.args.event)).map(deliveryDocument) }
  }

  protected override view({ data }: Shown, out: View): string {
    return data.map((delivery) => describe(delivery, out)).join('\n')
  }
}

function describe(delivery: DeliveryDocument, out: View): string {
  const { type, event_id, method, path, headers, verified, detail, environment, subscription_id } = delivery
  const verdict = [verdictOf(delivery), detail].filter((part) => part !== null).join(': ')
  const from = [environment, subscription_id].filter((part) => part !== null).join(' ')
  return [
    `${out.bold(type ?? '(no type)')}  ${out.bold(event_id ?? `number ${delivery.id}`)}`,
    `${out.time(delivery.received_at)}  ${out.dim(from)}  ${verified ? out.good(verdict) : out.bad(verdict)}`,
    '',
    `${out.dim('-->')} ${safeBlock(`${method} ${path}`)}`,
    ...headerLines(headers, out),
    '',
    indented(bodyText(delivery)),
    ...answers(delivery, out),
    '',
  ].join('\n')
}

function answers({ forwards, forward_to }: DeliveryDocument, out: View): string[] {
  if (forwards.length === 0) {
    return forward_to === null
      ? []
      : ['', out.warn(`<-- no answer of ${forward_to}: the listener ended first`)]
  }
  return forwards.flatMap(({ url, status, duration_ms, error, headers, body }) => {
    const accepted = status !== null && status >= 200 && status < 300
    const outcome = status === null ? `no answer: ${error ?? ''}` : String(status)
    return [
      '',
      `${out.dim('<--')} ${accepted ? out.good(outcome) : out.bad(outcome)} ${safeBlock(url)} ${duration_ms}ms`,
      ...headerLines(headers, out),
      ...(body.trim() === '' ? [] : ['', indented(body.trim())]),
    ]
  })
}

function headerLines(headers: DeliveryDocument['headers'], out: View): string[] {
  return headers.map(([name, value]) => `    ${out.dim(`${name}:`)} ${safeBlock(value)}`)
}

/** JSON is indented; any other body is shown as received. */
function bodyText({ event, body, body_base64 }: DeliveryDocument): string {
  if (event !== null) return JSON.stringify(event, undefined, 2)
  return body ?? `(not UTF-8, in base64) ${body_base64}`
}

function indented(text: string): string {
  return safeBlock(text).replaceAll(/^/gm, '    ')
}
