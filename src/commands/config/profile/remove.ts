import { existsSync } from 'node:fs'
import { Args, type Interfaces } from '@oclif/core'
import { ApiCommand } from '../../../cli/command/api-command.ts'
import { outputFlags, yesFlag } from '../../../cli/command/flags.ts'
import { mirrorFile } from '../../../machine/paths.ts'
import type { View } from '../../../output/view.ts'
import { assertProfile } from './_profile.ts'

interface Removed {
  readonly name: string
  readonly removed: true
  /** The names of the secrets that were removed. */
  readonly forgotten: readonly string[]
  /** The file of its mirror, which stays; null when there is none in its usual place. */
  readonly mirror: string | null
}

export default class ConfigProfileRemove extends ApiCommand<typeof ConfigProfileRemove, Removed> {
  static override summary = 'Remove an environment of your own, with its settings and its secrets'
  static override description =
    'Where it has secrets on this computer (API key, portal secret, signing secrets), it asks first and removes them. The keys ' +
    'themselves stay valid: revoke them with bankapi keys revoke before. Its mirror and what the inbox has of it stay.'
  static override examples = [
    '<%= config.bin %> config profile remove acme',
    '<%= config.bin %> config profile remove acme --yes --json',
  ]
  static override baseFlags: Interfaces.FlagInput = outputFlags
  static override args = {
    name: Args.string({ description: 'Name of the profile', required: true, ignoreStdin: true }),
  }
  static override flags = { yes: yesFlag }

  protected override async prepare(): Promise<void> {
    await assertProfile(this.machine, this.args.name, this.warning)
    await this.openSession({ env: this.args.name })
  }

  protected override async execute(): Promise<Removed> {
    const { session } = this
    const { name } = this.args
    const { accounts, keychain } = await session.secrets.stored()
    if (keychain !== undefined) this.warning(`the keychain could not be looked into: ${keychain.message}`)
    if (accounts.length > 0) {
      await this.confirm(`Remove ${name} and forget its secrets on this computer: ${accounts.join(', ')}?`)
      await session.forgetSecrets()
    }
    await session.removeProfile()
    const mirror = mirrorFile(this.machine, name)
    return { name, removed: true, forgotten: accounts, mirror: existsSync(mirror) ? mirror : null }
  }

  protected override view({ name, forgotten, mirror }: Removed, out: View): string {
    return [
      `Removed: ${[name, ...forgotten].map((one) => out.text(one)).join(', ')}`,
      ...(mirror === null ? [] : [`Its mirror stays: ${out.text(mirror)}`]),
    ].join('\n')
  }
}
