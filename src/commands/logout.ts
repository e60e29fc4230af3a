import { ApiCommand } from '../cli/command/api-command.ts'
import { yesFlag } from '../cli/command/flags.ts'

interface LoggedOut {
  readonly environment: string
  /** The names of the secrets that were removed. */
  readonly forgotten: readonly string[]
}

export default class Logout extends ApiCommand<typeof Logout, LoggedOut> {
  static override summary = "Forget an environment's secrets on this computer"
  static override description =
    'Removes the API key, the portal secret and the webhook signing secrets of the environment from the keychain and the ' +
    'credentials file, and the ids that the shell completes. The key itself stays valid: revoke it with bankapi keys revoke.'
  static override examples = ['<%= config.bin %> logout --env sandbox']
  static override flags = { yes: yesFlag }

  protected override readonly prefersEmulator = false

  protected override async execute(): Promise<LoggedOut> {
    const environment = this.session.environment.value
    await this.confirm(
      `Forget every secret of ${environment} on this computer, webhook signing secrets included?`,
    )
    const { accounts, keychain } = await this.session.forgetSecrets()
    if (keychain !== undefined) this.warning(`the keychain could not be looked into: ${keychain.message}`)
    return { environment, forgotten: accounts }
  }

  protected override view({ environment, forgotten }: LoggedOut): string {
    return forgotten.length === 0
      ? `Nothing was stored for ${environment}.`
      : `Forgotten: ${forgotten.join(', ')}`
  }
}
