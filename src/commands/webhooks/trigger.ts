import { randomBytes } from 'node:crypto'
import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { duration } from '../../cli/command/flags.ts'
import { inputBytes } from '../../cli/terminal/input.ts'
import { eventTypes } from '../../contract/events.ts'
import { systemClock } from '../../machine/machine.ts'
import {
  exitNameOfSent,
  type SentDeliveries,
  type SentDelivery,
  sentDeliveries,
  sentDelivery,
  sentLines,
  targetFlags,
  targetUrlOf,
} from './_sent-delivery.ts'
import { namedSecrets, secretFlags } from './_signing-secret.ts'
import { eventSource, unlikeTheReference } from './_triggered-event.ts'

export default class WebhooksTrigger extends ApiCommand<typeof WebhooksTrigger, SentDeliveries> {
  static override summary = 'Send a correctly signed example of an event to your server, without any service'
  static override description =
    'The example is valid by the reference; change fields with --set, or give an event of your own with --from, whose bytes ' +
    'are sent exactly as they are unless --set or --count changes them. It is signed like a delivery of the service, with ' +
    'the secret of --subscription, --secret-stdin or BANKAPI_WEBHOOK_SECRET.\n' +
    'Exit code 0 when every delivery was answered 2xx, 11 when one got no answer or a 5xx, 7 when one was refused ' +
    'otherwise: with --bad-signature or --age 6m, 7 is what a good receiver gives.\n' +
    `Event types: ${eventTypes.join(', ')}.`
  static override examples = [
    '<%= config.bin %> webhooks trigger connection.active --to localhost:3000/hooks --subscription whk_0a1b',
    '<%= config.bin %> webhooks trigger connection.failed --to 3000 --set data.connection.id=con_FDE_9 --set livemode=true',
    '<%= config.bin %> webhooks trigger account.refresh.completed --to 3000 --count 1000 --rate 50',
    '<%= config.bin %> webhooks trigger webhook.test --to 3000 --age 6m --jq .data[].status',
  ]
  static override args = {
    type: Args.string({ description: 'Event type', required: true, ignoreStdin: true }),
  }
  static override flags = {
    to: Flags.string({
      summary: 'Where to: 3000, localhost:3000/path or a URL',
      helpValue: 'URL',
      required: true,
    }),
    set: Flags.string({
      summary: 'Set a field of the event, such as data.connection.status=failed',
      helpValue: 'PATH=VALUE',
      multiple: true,
      multipleNonGreedy: true,
    }),
    from: Flags.string({ summary: 'File with the event to send; - is stdin', helpValue: 'FILE' }),
    count: Flags.integer({ summary: 'Send so many events', min: 1, max: 1_000_000, default: 1 }),
    rate: Flags.integer({
      summary: 'Start so many in a second, whether answers come or not',
      min: 1,
      max: 10_000,
    }),
    duplicate: Flags.boolean({ summary: 'Send each event twice, with the same event_id' }),
    age: duration({
      summary: 'Date the timestamp back by this much',
      default: 0,
      defaultHelp: async () => '0s',
    }),
    'bad-signature': Flags.boolean({ summary: 'Sign with a secret that nobody knows' }),
    ...targetFlags,
    ...secretFlags,
  }

  protected override async execute(): Promise<SentDeliveries> {
    const { flags, session, signal } = this
    const url = await targetUrlOf(flags.to)
    const event = eventSource(
      {
        type: this.args.type,
        from: flags.from === undefined ? undefined : await inputBytes(flags.from, this.terminal.stdin),
        set: flags.set ?? [],
        livemode: session.environment.mode === 'live',
        now: this.machine.now(),
      },
      flags.count,
    )
    const secret = flags['bad-signature']
      ? `whsec_${randomBytes(16).toString('hex')}`
      : (await namedSecrets(session, this.terminal, flags, signal))[0]
    for (const sentence of unlikeTheReference(event(0).body)) {
      this.warning(`not as the reference says, and sent all the same: ${sentence}`)
    }
    const sent: SentDelivery[] = []
    const { trigger } = await import('../../listener/trigger.ts')
    await trigger({
      url,
      secret: secret ?? '',
      event,
      count: flags.count,
      copies: flags.duplicate ? 2 : 1,
      perSecond: flags.rate,
      ageSeconds: flags.age / 1000,
      timeoutMs: flags.timeout,
      insecureTls: flags['insecure-tls'],
      clock: systemClock,
      signal,
      onSent: (one, outcome) => {
        const delivery = sentDelivery(one, outcome)
        sent.push(delivery)
        if (this.format === undefined) this.terminal.stdout.write(`${sentLines(delivery).join('\n')}\n`)
      },
    })
    const result = sentDeliveries(sent)
    this.leaveWith(exitNameOfSent(result))
    return result
  }

  /** The line of each delivery was written when its answer came. */
  protected override view({ data, accepted }: SentDeliveries): string {
    return data.length > 1 ? `${accepted} of ${data.length} answered 2xx` : ''
  }
}
