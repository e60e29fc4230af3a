import { Flags } from '@oclif/core'
import { ApiCommand } from '../cli/command/api-command.ts'
import type { View } from '../output/view.ts'

interface Identity {
  readonly environment: string
  readonly environment_source: string
  /** The rules that it keeps: local, sandbox or live; a profile has one of the last two. */
  readonly mode: string
  readonly base_url: string
  readonly base_url_source: string
  /** First characters of the key, safe to display. */
  readonly key_prefix: string
  readonly key_source: string
  /** The address that a stored key is bound to; null for one that is not stored. */
  readonly key_base_url: string | null
  /** Whether the service accepted the key; null with --offline. */
  readonly accepted: boolean | null
}

export default class Whoami extends ApiCommand<typeof Whoami, Identity> {
  static override summary = 'Show which environment, address and key are in use, and check the key'
  static override description =
    'Says where each of them came from: a flag, an environment variable, the settings, the keychain, a file, the running ' +
    'emulator. The key itself is never printed. Exit code 3 when there is no key or the service does not accept it.'
  static override examples = [
    '<%= config.bin %> whoami',
    '<%= config.bin %> whoami --env live --offline --json',
  ]
  static override flags = {
    offline: Flags.boolean({ summary: 'Do not ask the service' }),
  }

  protected override async execute(): Promise<Identity> {
    const { session } = this
    const { environment, baseUrl } = session
    const key = await session.apiKey()
    const accepted = this.flags.offline ? null : await session.checkKey(key.secret, this.signal)
    return {
      environment: environment.value,
      environment_source: environment.source,
      mode: environment.mode,
      base_url: baseUrl.value,
      base_url_source: baseUrl.source,
      key_prefix: session.keyInUse ?? '',
      key_source: key.source,
      key_base_url: key.boundTo ?? null,
      accepted,
    }
  }

  protected override view(identity: Identity, out: View): string {
    return out.record(identity)
  }
}
