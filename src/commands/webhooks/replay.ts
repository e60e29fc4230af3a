import { Args, Flags } from '@oclif/core'
import { sinceFlag } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import { InboxCommand } from './_inbox-command.ts'
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

export interface ReplayedDeliveries extends SentDeliveries {
  /** Those of --failed that did not verify. */
  readonly not_sent: readonly NotSent[]
}

interface NotSent {
  /** The number in the inbox. */
  readonly id: number
  readonly event_id: string | null
  readonly type: string | null
  /** Why it was refused. */
  readonly reason: string | null
}

export default class WebhooksReplay extends InboxCommand<typeof WebhooksReplay, ReplayedDeliveries> {
  static override summary = 'Send deliveries out of the inbox again'
  static override description =
    'Events by their ids, or with --since every verified one that fits, each event once and the oldest first: same method, ' +
    'path, headers and bytes. --failed takes what webhooks events --failed lists; what did not verify is named and not ' +
    'sent: judge it again with webhooks reverify, or send it by its id. --to may be left out where the listener knew a ' +
    'target, and with --failed where one was given before. Your server refuses a timestamp more than five minutes old if it checks: --resign signs anew, with the time of ' +
    'now and the secret of --subscription, --secret-stdin or BANKAPI_WEBHOOK_SECRET. The inbox keeps each as a replay.\n' +
    'Exit code 0 when every delivery was answered 2xx, 11 when one got no answer or a 5xx, 7 when one was refused otherwise.'
  static override examples = [
    '<%= config.bin %> webhooks replay evt_4f1d2c9b8a7e6f5d4c3b2a19 --to localhost:3000/hooks',
    '<%= config.bin %> webhooks replay --failed --resign --subscription whk_0a1b',
    '<%= config.bin %> webhooks replay --since 1h --type "connection.*" --to 3000',
  ]
  static override args = {
    events: Args.string({
      description: 'Event ids, or numbers of deliveries in the inbox',
      multiple: true,
      ignoreStdin: true,
    }),
  }
  static override flags = {
    to: Flags.string({
      summary: 'Where to: 3000, localhost:3000/path or a URL (default: where the listener forwarded it)',
      helpValue: 'URL',
    }),
    failed: Flags.boolean({ summary: 'What webhooks events --failed lists, and did verify' }),
    since: sinceFlag({ summary: 'Every event received since then' }),
    type: Flags.string({ summary: 'Only this event type; * at its end stands for any text' }),
    resign: Flags.boolean({ summary: 'Sign anew, as of now' }),
    ...targetFlags,
    ...secretFlags,
  }

  protected override async execute(): Promise<ReplayedDeliveries> {
    const { flags, inbox, signal } = this
    const target = flags.to === undefined ? undefined : await targetUrlOf(flags.to)
    const { chosen, notSent } = await this.#choose()
    const resignWith = flags.resign
      ? (await namedSecrets(this.session, this.terminal, flags, signal))[0]
      : undefined
    if (chosen.length === 0) this.note('Nothing to replay.')
    if (notSent.length > 0) {
      this.warning(
        `${notSent.length === 1 ? '1 delivery that did not verify is' : `${notSent.length} deliveries that did not verify are`} not sent. ` +
          'Judge them again, with the secrets of today: bankapi webhooks reverify',
      )
    }
    const [{ replay }, { createForwarder }, { targetUrl }] = await Promise.all([
      import('../../listener/replay.ts'),
      import('../../listener/forward.ts'),
      import('../../listener/forward-url.ts'),
    ])
    const urlOf = async (delivery: Delivery): Promise<string> => {
      if (target !== undefined) return targetUrl(target, delivery.path)
      const known = delivery.forwardTo ?? (flags.failed ? await this.#lastTarget(delivery) : undefined)
      if (known !== undefined) return known
      throw new UsageError(`Where to? ${delivery.eventId ?? delivery.id} had no target when it came`, {
        code: 'target_missing',
        hint: 'Give --to URL',
      })
    }
    const planned: { delivery: Delivery; url: string }[] = []
    for (const delivery of chosen) planned.push({ delivery, url: await urlOf(delivery) })
    const forwarder = createForwarder({
      timeoutMs: flags.timeout,
      timeoutFlag: '--timeout',
      insecureTls: flags['insecure-tls'],
      extraHeaders: [],
    })
    const abort = () => void forwarder.abort()
    signal.addEventListener('abort', abort, { once: true })
    const sent: SentDelivery[] = []
    try {
      for (const { delivery, url } of planned) {
        const outcome = await replay(delivery, { inbox, forwarder, url, resignWith, clock: this.machine })
        signal.throwIfAborted()
        const one = sentDelivery(delivery, outcome)
        sent.push(one)
        if (this.format === undefined) this.terminal.stdout.write(`${sentLines(one).join('\n')}\n`)
      }
    } finally {
      signal.removeEventListener('abort', abort)
      await forwarder.close()
    }
    const result = sentDeliveries(sent)
    this.leaveWith(exitNameOfSent(result))
    return { ...result, not_sent: notSent.map(notSentOf) }
  }

  /** The line of each delivery was written when its answer came. */
  protected override view({ data, accepted }: ReplayedDeliveries): string {
    return data.length > 1 ? `${accepted} of ${data.length} answered 2xx` : ''
  }

  /** Where its last replay went. */
  async #lastTarget({ id, eventId }: Delivery): Promise<string | undefined> {
    const found = eventId === undefined ? [] : await this.inbox.deliveries.get(eventId)
    return found.findLast(({ replayOf }) => replayOf === id)?.forwardTo
  }

  async #choose(): Promise<{ chosen: Delivery[]; notSent: Delivery[] }> {
    const { failed, since, type } = this.flags
    const { events = [] } = this.args
    const several = failed || since !== undefined
    if (events.length === 0 && !several) {
      throw new UsageError('Which deliveries? Give an event id, --failed or --since', {
        code: 'nothing_chosen',
      })
    }
    if (events.length > 0) {
      if (several || type !== undefined) {
        throw new UsageError('An event id goes without --failed, --since and --type', {
          code: 'nothing_chosen',
        })
      }
      const chosen: Delivery[] = []
      for (const event of events) chosen.push(...(await this.#named(event)))
      return { chosen, notSent: [] }
    }
    // A delivery that did not verify is sent again by its id only: --resign would make a forged one genuine.
    const filter = { type, since, environment: this.environment }
    if (failed) {
      const found = await this.inbox.deliveries.list({ ...filter, failed })
      const { sent: chosen = [], not: notSent = [] } = Object.groupBy(found, ({ verified }) =>
        verified ? 'sent' : 'not',
      )
      return { chosen, notSent }
    }
    const found = await this.inbox.deliveries.list({ ...filter, verified: true })
    const { isKnownEvent } = await import('../../inbox/inbox.ts')
    const keyOf = (delivery: Delivery) => {
      const { eventId, environment, subscription, id } = delivery
      return isKnownEvent(delivery) ? JSON.stringify([eventId, environment, subscription]) : String(id)
    }
    const newest = new Map(received(found).map((delivery) => [keyOf(delivery), delivery]))
    return { chosen: [...newest.values()].sort((one, other) => one.id - other.id), notSent: [] }
  }

  /** The delivery to send of an event: the last that verified, else the last. */
  async #named(event: string): Promise<Delivery[]> {
    const found = received(await this.deliveriesOf(event))
    const best = found.findLast(({ verified }) => verified) ?? found.at(-1)
    if (best?.bodyBytes !== undefined) {
      throw new UsageError(`Of the body of ${event}, which did not verify, only the beginning is kept`, {
        code: 'body_not_kept',
      })
    }
    return best === undefined ? [] : [best]
  }
}

function notSentOf({ id, eventId, type, reason }: Delivery): NotSent {
  return { id, event_id: eventId ?? null, type: type ?? null, reason: reason ?? null }
}

/** Leaves out replays, whose originals are in the list. */
function received(deliveries: readonly Delivery[]): Delivery[] {
  return deliveries.filter(({ replayOf }) => replayOf === undefined)
}
