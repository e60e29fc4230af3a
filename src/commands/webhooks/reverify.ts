import { Args, Flags } from '@oclif/core'
import { sinceFlag } from '../../cli/command/flags.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { Field } from '../../output/fields.ts'
import type { View } from '../../output/view.ts'
import { type DeliveryIdentity, identityFields, identityOf } from './_delivery-document.ts'
import { InboxCommand } from './_inbox-command.ts'
import { type Judgement, judgeAgain } from './_judge-again.ts'
import { namedSecrets, namesSecret, secretFlags } from './_signing-secret.ts'

export interface Reverified {
  readonly data: readonly JudgedDelivery[]
  /** Those that verify. */
  readonly verified: number
}

type JudgedDelivery = DeliveryIdentity & Judgement

const fields: readonly Field<JudgedDelivery>[] = [
  ...identityFields,
  { key: 'finding', priority: 7 },
  { key: 'message', priority: 6 },
]

/** Events that the next step names. */
const MAX_NAMED = 20

export default class WebhooksReverify extends InboxCommand<typeof WebhooksReverify, Reverified> {
  static override summary = 'Judge deliveries that were refused again, with the secrets of today'
  static override description =
    'Takes the bytes and headers in the inbox, and the age at which each was received. What verifies is a verified delivery ' +
    'from then on and no longer failed; it was not forwarded, so send it with webhooks replay. What does not is explained ' +
    'anew. The secret is that of --secret-stdin, BANKAPI_WEBHOOK_SECRET or --subscription; without any, each delivery is ' +
    'judged with the stored secrets of its environment and, where it is known, its subscription. A delivery that verified ' +
    'when it came is not judged. Sends nothing. Exit code 0 when all verify, 12 when one does not, 5 when a ' +
    'named one is not in the inbox.'
  static override examples = [
    '<%= config.bin %> webhooks reverify',
    '<%= config.bin %> webhooks reverify --since 1d --subscription whk_0a1b',
    "<%= config.bin %> webhooks reverify --jq '.data[] | select(.verified) | .id' | xargs <%= config.bin %> webhooks replay --to 3000",
  ]
  static override args = {
    events: Args.string({
      description: 'Event ids, or numbers of deliveries in the inbox (default: all that were refused)',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    type: Flags.string({ summary: 'Only this event type; * at its end stands for any text' }),
    since: sinceFlag({ summary: 'Only those received since then' }),
    ...secretFlags,
  }

  protected override async execute(): Promise<Reverified> {
    const { flags, session, terminal, signal } = this
    const named = namesSecret(session, flags)
      ? await namedSecrets(session, terminal, flags, signal)
      : undefined
    const known = await session.signingSecrets.known()
    const refused = (await this.#chosen()).filter(({ verified }) => !verified)
    if (refused.length === 0) this.note('No delivery that was refused fits.')
    const data: JudgedDelivery[] = []
    for (const delivery of refused) {
      signal.throwIfAborted()
      const secrets = named ?? session.signingSecrets.validFor(delivery, known)
      const judgement = await judgeAgain(this.inbox.deliveries, delivery, { secrets, known })
      data.push({ ...identityOf(delivery), ...judgement })
    }
    const verified = data.filter((one) => one.verified)
    if (verified.length < data.length) this.leaveWith('notVerified')
    const waiting = await this.#notAccepted(verified)
    if (waiting.length > 0) {
      const events = waiting.length > MAX_NAMED ? 'EVENT …' : waiting.join(' ')
      this.note(`No target has had what verifies now. Send it: bankapi webhooks replay ${events} --to URL`)
    }
    return { data, verified: verified.length }
  }

  protected override view({ data }: Reverified, out: View): string {
    return out.table(data, fields)
  }

  protected override async columns() {
    return { fields: fields as never, known: ['id', 'environment', 'subscription_id', 'verified'] }
  }

  async #chosen(): Promise<Delivery[]> {
    const { since, type } = this.flags
    const { events = [] } = this.args
    const fits = (one: Delivery) => since === undefined || one.receivedAt >= since
    if (events.length === 0) {
      const { environment } = this
      return this.inbox.deliveries.list({ since, type, environment, verified: false })
    }
    const found: Delivery[] = []
    for (const event of events) found.push(...(await this.deliveriesOf(event)))
    return found.filter(fits)
  }

  /** Those whose event no target has answered 2xx to: their event ids, or numbers in the inbox. */
  async #notAccepted(judged: readonly JudgedDelivery[]): Promise<(string | number)[]> {
    const { isAccepted } = await import('../../inbox/delivery-rows.ts')
    const waiting = new Set<string | number>()
    for (const { event_id, id } of judged) {
      const deliveries = event_id === null ? [] : await this.inbox.deliveries.get(event_id)
      if (!deliveries.some(({ verified, forwards }) => verified && forwards.some(isAccepted))) {
        waiting.add(event_id ?? id)
      }
    }
    return [...waiting]
  }
}
