/** The base class of commands on the deliveries in the inbox. They need no key and no service. */
import type { Command } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { openInboxOf } from '../../cli/command/inbox.ts'
import { BankapiError } from '../../errors.ts'
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { Inbox } from '../../inbox/inbox.ts'

export abstract class InboxCommand<T extends typeof Command, Result> extends ApiCommand<T, Result> {
  /** No environment chosen means all of them, also while an emulator runs. */
  protected override readonly prefersEmulator = false
  #inbox: Inbox | undefined

  /** Opened before `execute`. */
  protected get inbox(): Inbox {
    if (this.#inbox === undefined) throw new Error('the command does not run')
    return this.#inbox
  }

  /** The environment that the user chose; undefined for the deliveries of all. */
  protected get environment(): string | undefined {
    const { value, source } = this.session.environment
    return source === 'default' ? undefined : value
  }

  /**
   * The deliveries of an event id, oldest first; for a number, the delivery with that number in the inbox.
   * @throws BankapiError (exit 5) when there is none.
   */
  protected async deliveriesOf(id: string): Promise<Delivery[]> {
    const { environment } = this
    const found = await this.inbox.deliveries.get(id)
    const named = found.length > 0 || !/^\d{1,15}$/.test(id) ? found : await this.#byNumber(Number(id))
    const fitting = named.filter((one) => environment === undefined || one.environment === environment)
    if (fitting.length > 0) return fitting
    throw new BankapiError(`No delivery of ${id} is in the inbox`, {
      code: 'not_in_inbox',
      exit: 'notFound',
      hint: 'See what is there: bankapi webhooks events',
    })
  }

  async #byNumber(id: number): Promise<Delivery[]> {
    const { deliveryOf } = await import('../../inbox/watch-deliveries.ts')
    const delivery = await deliveryOf(this.inbox, id)
    return delivery === undefined ? [] : [delivery]
  }

  protected override async prepare(): Promise<void> {
    await super.prepare()
    this.#inbox = await openInboxOf(this.session)
  }

  protected override async close(): Promise<void> {
    await this.#inbox?.close()
    await super.close()
  }
}
