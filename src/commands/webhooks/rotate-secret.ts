import { Flags } from '@oclif/core'
import { idArg, yesFlag } from '../../cli/command/flags.ts'
import { SecretCommand } from '../../cli/command/secret-command.ts'
import type { Subscription, SubscriptionWithSecret } from '../../contract/webhooks.ts'
import { subscriptionFields } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'

type Rotated = Subscription | SubscriptionWithSecret

export default class WebhooksRotateSecret extends SecretCommand<typeof WebhooksRotateSecret, Rotated> {
  static override summary = "Replace a subscription's signing secret; the old one stays valid 24 hours"
  static override description =
    'For 24 hours deliveries carry two signatures, one under each secret. The new secret is shown once: it goes where your ' +
    'API key is kept; --print-secret prints it as well, and needs no keychain. Both secrets stay known here, and webhooks listen and verify accept either ' +
    'for those 24 hours.'
  static override examples = ['<%= config.bin %> webhooks rotate-secret whk_0a1b --yes']
  static override args = { id: idArg({ summary: 'Subscription, whk_<hex>', prefix: 'whk_' }) }
  static override flags = {
    'print-secret': Flags.boolean({ summary: 'Print the new secret, too' }),
    yes: yesFlag,
  }

  protected override async execute(): Promise<Rotated> {
    const { id } = this.args
    const { session } = this
    const printSecret = this.flags['print-secret']
    await this.confirm(`Replace the signing secret of ${id}? The old one stops verifying in 24 hours.`)
    if (!printSecret) await session.secrets.assertCanStore()
    const rotated = await this.api.webhooks.rotateSecret({ subscription_id: id }, this.onlyOnce)
    const found = this.secretIn(rotated, 'signing_secret')
    if (found === undefined) {
      if (!printSecret) this.leaveWith('unexpected')
      return rotated
    }
    const { signing_secret, ...subscription } = rotated
    try {
      await session.signingSecrets.store(id, signing_secret)
    } catch (error) {
      const again = `the one before is valid for 24 hours. Replace it again: ${this.command('webhooks', 'rotate-secret', id)}`
      if (!printSecret) {
        this.warning(`the new secret of ${id} is lost; ${again}`)
        throw error
      }
      this.printsOnly(signing_secret, async () => `${id} has it; ${again}`)
      this.warning(`the new secret of ${id} is printed only, not stored: ${(error as Error).message}`)
      return rotated
    }
    this.note(
      `The new signing secret is in the ${session.secrets.chosenStore === 'file' ? 'credentials file' : 'keychain'}.`,
    )
    return printSecret ? rotated : (subscription as Subscription)
  }

  protected override view(rotated: Rotated, out: View): string {
    const text = out.record(rotated, subscriptionFields)
    return 'signing_secret' in rotated ? text + out.record({ signing_secret: rotated.signing_secret }) : text
  }
}
