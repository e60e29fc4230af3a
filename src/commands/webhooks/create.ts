import { Flags } from '@oclif/core'
import { eventsFlag } from '../../cli/command/flags.ts'
import { SecretCommand } from '../../cli/command/secret-command.ts'
import { eventTypes } from '../../contract/events.ts'
import type { Subscription, SubscriptionWithSecret } from '../../contract/webhooks.ts'
import { subscriptionFields } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'

type Created = Subscription | SubscriptionWithSecret

export default class WebhooksCreate extends SecretCommand<typeof WebhooksCreate, Created> {
  static override summary = 'Subscribe a URL to events'
  static override description =
    'The service shows the signing secret once. It goes where your API key is kept (the keychain, or the file you chose), ' +
    'so that webhooks listen and verify find it; --print-secret prints it as well, and needs no keychain: where it cannot be ' +
    'stored, a warning says so.'
  static override examples = [
    '<%= config.bin %> webhooks create --url https://example.com/hooks',
    '<%= config.bin %> webhooks create --url https://example.com/hooks --events connection.active,connection.failed',
    '<%= config.bin %> webhooks create --url https://example.com/hooks --print-secret --jq .signing_secret',
  ]
  static override flags = {
    url: Flags.string({ summary: 'Where deliveries are sent', helpValue: 'URL', required: true }),
    events: eventsFlag({ summary: 'Event types to send (default: all of them)' }),
    'print-secret': Flags.boolean({ summary: 'Print the signing secret, too' }),
  }

  protected override async execute(): Promise<Created> {
    const { session } = this
    const { url, events, 'print-secret': printSecret } = this.flags
    if (!printSecret) await this.#assertCanStore()
    const created = await this.api.webhooks.create(
      { url, event_types: events ?? eventTypes.filter((type) => type !== 'webhook.test') },
      this.onlyOnce,
    )
    const found = this.secretIn(created, 'signing_secret')
    if (found === undefined) {
      if (!printSecret) this.leaveWith('unexpected')
      return created
    }
    const { signing_secret, ...subscription } = created
    try {
      await session.signingSecrets.store(created.id, signing_secret)
    } catch (error) {
      if (printSecret) {
        this.printsOnly(signing_secret, () => this.#remove(created.id))
        this.warning(
          `the signing secret of ${created.id} is printed only, not stored: ${(error as Error).message}`,
        )
        return created
      }
      // A subscription is of no use without its secret.
      this.warning(await this.#remove(created.id))
      throw error
    }
    this.note(
      `The signing secret is in the ${session.secrets.chosenStore === 'file' ? 'credentials file' : 'keychain'}.`,
    )
    return printSecret ? created : (subscription as Subscription)
  }

  /** Removes a subscription whose secret nobody has, and says whether it is gone. */
  async #remove(id: string): Promise<string> {
    try {
      await this.api.webhooks.delete({ subscription_id: id })
      return `${id} was removed again`
    } catch (error) {
      return `${id} is there, and could not be removed again (${(error as Error).message}). Remove it: ${this.command('webhooks', 'delete', id)}`
    }
  }

  /** Called before the subscription is made, because the service shows its secret only once. */
  async #assertCanStore(): Promise<void> {
    try {
      await this.session.secrets.assertCanStore()
    } catch (error) {
      this.note(
        'Nothing was made. With --print-secret the signing secret is printed, and no keychain is needed.',
      )
      throw error
    }
  }

  protected override view(created: Created, out: View): string {
    const text = out.record(created, subscriptionFields)
    return 'signing_secret' in created ? text + out.record({ signing_secret: created.signing_secret }) : text
  }
}
