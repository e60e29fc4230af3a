import { Flags } from '@oclif/core'
import { scopesFlag, yesFlag } from '../../cli/command/flags.ts'
import { SecretCommand } from '../../cli/command/secret-command.ts'
import type { ApiKey, ApiKeyWithSecret } from '../../contract/keys.ts'
import { apiKeyFields } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'

type Created = ApiKey | ApiKeyWithSecret

export default class KeysCreate extends SecretCommand<typeof KeysCreate, Created> {
  static override summary = 'Create an API key in the environment of the key in use'
  static override description =
    'The plaintext is returned exactly once. Without --save it is printed; with --save it replaces the key of this ' +
    'environment in the keychain and is not printed.'
  static override examples = [
    '<%= config.bin %> keys create --scopes read:accounts,read:transactions',
    '<%= config.bin %> keys create --scopes read:clients --save --yes',
  ]
  static override flags = {
    scopes: scopesFlag({ summary: 'Scopes of the new key', required: true }),
    save: Flags.boolean({ summary: 'Use it from now on: store it where your API key is kept' }),
    yes: yesFlag,
  }

  protected override async execute(): Promise<Created> {
    const { session } = this
    const { scopes, save } = this.flags
    if (save) {
      await this.confirm(`Replace the stored API key of ${session.environment.value} by the new one?`)
      await session.secrets.assertCanStore()
    }
    const created = await this.api.keys.create({ scopes }, this.onlyOnce)
    const found = this.secretIn(created, 'secret')
    if (found === undefined) {
      if (save) this.leaveWith('unexpected')
      return created
    }
    if (!save) {
      this.printsOnly(found, () => this.#revoke(created.id))
      return created
    }
    const { secret, ...key } = created
    try {
      await session.secrets.store('api-key', secret, session.secrets.chosenStore)
    } catch (error) {
      this.warning(await this.#revoke(created.id))
      throw error
    }
    this.note(`The new key is stored for ${session.environment.value} and in use from now on.`)
    return key as ApiKey
  }

  /** Revokes a key whose plaintext nobody has, and says whether it is revoked. */
  async #revoke(id: string): Promise<string> {
    try {
      await this.api.keys.revoke({ api_key_id: id })
      return `${id} was revoked again`
    } catch (error) {
      return `${id} is active, and could not be revoked again (${(error as Error).message}). Revoke it: ${this.command('keys', 'revoke', id)}`
    }
  }

  protected override view(created: Created, out: View): string {
    const text = out.record(created, apiKeyFields)
    if (!('secret' in created)) return text
    return text + out.record({ secret: created.secret })
  }
}
