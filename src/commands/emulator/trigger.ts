import { Args, Flags } from '@oclif/core'
import { UsageError } from '../../cli/errors/errors.ts'
import { eventTypes } from '../../contract/events.ts'
import type { View } from '../../output/view.ts'
import { EmulatorCommand } from './_emulator-control.ts'

/** Changes that emit no event of their own name. */
const otherChanges = [
  'member.status',
  'transaction.settled',
  'account.opened',
  'account.backfilled',
  'bank.recovered',
  'desktop_app.connected',
  'desktop_app.pairing',
  'refresh.outcome_not_observable',
  'portal.reviewed',
] as const

export default class EmulatorTrigger extends EmulatorCommand<typeof EmulatorTrigger, object> {
  static override summary = 'Make something happen: a real change of state, with its event'
  static override description = [
    'An event type stands for the change that emits it. Further changes, with what they take by --set:',
    'member.status (member_status=PREVENTED|DENIED|LOCKED|DISCONNECTED|CLOSED|CONNECTED|SYNCING), transaction.settled (transaction=txn_…, ' +
      'way=in_place|reissued), account.opened, account.backfilled, bank.recovered, desktop_app.connected, refresh.outcome_not_observable, ' +
      'desktop_app.pairing (the next one of an assistant ends with --code), portal.reviewed (user=…, application=SANDBOX|LIVE, decision=APPROVED|DENIED|NEEDS_INFO, denial_code=…).',
    "connection.disconnected with a --code: the service's own refresh failed (AGGREGATOR_A and FDE).",
    'connection.capability_changed takes capability=… and status=….',
  ].join('\n')
  static override examples = [
    '<%= config.bin %> emulator trigger connection.failed --connection con_AGGREGATOR_A_1001',
    '<%= config.bin %> emulator trigger connection.requires_action --connection con_FDE_123 --code credentials_invalid',
    '<%= config.bin %> emulator trigger transaction.settled --connection con_AGGREGATOR_A_1001 --set way=reissued',
    '<%= config.bin %> emulator trigger portal.reviewed --set user=usr_9 --set decision=DENIED',
  ]
  static override args = {
    type: Args.string({
      description: 'Event type, or one of the further changes',
      options: [...eventTypes, ...otherChanges],
      required: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    connection: Flags.string({ summary: 'Connection it happens to, in either form', helpValue: 'con_…' }),
    code: Flags.string({ summary: 'Error code, for requires_action and failed' }),
    subscription: Flags.string({ summary: 'Subscription, for webhook.test', helpValue: 'whk_…' }),
    on: Flags.option({ summary: 'On which base', options: ['sandbox', 'live'] as const })(),
    set: Flags.string({
      summary: 'A further field',
      helpValue: 'k=v',
      multiple: true,
      multipleNonGreedy: true,
    }),
  }

  protected override async execute(): Promise<object> {
    const { connection, code, subscription, on: environment, set = [] } = this.flags
    const further = set.map((field) => {
      const equals = field.indexOf('=')
      if (equals < 1)
        throw new UsageError(`"${field}" is not a field`, { hint: 'Write it like --set way=reissued' })
      return [field.slice(0, equals), field.slice(equals + 1)]
    })
    const order = { type: this.args.type, connection, code, subscription, environment }
    return (await this.control.post('/trigger', { ...order, ...Object.fromEntries(further) })) as object
  }

  protected override view(triggered: object, out: View): string {
    return out.record(triggered)
  }
}
