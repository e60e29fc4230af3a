import { Flags } from '@oclif/core'
import { ApiCommand } from '../cli/command/api-command.ts'
import { readSecret } from '../cli/terminal/input.ts'
import type { View } from '../output/view.ts'

interface LoggedIn {
  readonly environment: string
  readonly base_url: string
  readonly stored: 'api_key' | 'portal_secret'
  readonly stored_in: 'keychain' | 'file'
  /** Whether the service accepted the key; null when it was not asked. */
  readonly checked: boolean | null
}

export default class Login extends ApiCommand<typeof Login, LoggedIn> {
  static override summary = "Store an environment's API key in the keychain of this computer"
  static override description =
    'The key is typed at a hidden prompt or piped with --key-stdin; it is never an argument. It is checked against the ' +
    'service before it is stored, unless --offline, and is bound to the address in use: it is sent to no other one. Without a keychain, --insecure-storage keeps it in a file that only ' +
    'you can read. `local` needs no login: a running emulator brings its own key. A further customer is a profile: bankapi config profile add.'
  static override examples = [
    '<%= config.bin %> login --env sandbox --base-url https://api.example.com/v3',
    '<%= config.bin %> login --env acme',
    'printf %s "$KEY" | <%= config.bin %> login --env sandbox --key-stdin',
    'printf %s "$SECRET" | <%= config.bin %> login --env live --portal --key-stdin',
  ]
  static override flags = {
    'key-stdin': Flags.boolean({ summary: 'Read the secret from stdin' }),
    portal: Flags.boolean({ summary: 'Store the portal bootstrap secret instead of the API key' }),
    'insecure-storage': Flags.boolean({
      summary: 'Keep it in a file (mode 0600) instead of the keychain',
    }),
    offline: Flags.boolean({ summary: 'Do not check the key against the service' }),
  }

  protected override readonly prefersEmulator = false

  protected override async execute(): Promise<LoggedIn> {
    const { session } = this
    const { portal, offline, 'key-stdin': fromStdin, 'insecure-storage': insecure } = this.flags
    const environment = session.environment.value
    const baseUrl = session.baseUrl
    const secret = await readSecret(this.terminal, {
      question: `${portal ? 'Portal bootstrap secret' : 'API key'} for ${environment}:`,
      fromStdin,
      flag: '--key-stdin',
      signal: this.signal,
    })
    const checked = portal || offline ? null : await session.checkKey(secret, this.signal)
    if (portal || offline) session.secrets.assertUsable(secret, portal ? 'portal-secret' : 'api-key')
    const stored_in = insecure ? 'file' : 'keychain'
    await session.secrets.store(portal ? 'portal-secret' : 'api-key', secret, stored_in)
    if (baseUrl.source === 'flag') {
      await session.settings.set(`environments.${environment}.base_url`, baseUrl.value)
    }
    return {
      environment,
      base_url: baseUrl.value,
      stored: portal ? 'portal_secret' : 'api_key',
      stored_in,
      checked,
    }
  }

  protected override view(result: LoggedIn, out: View): string {
    const what = result.stored === 'api_key' ? 'API key' : 'Portal secret'
    const where = result.stored_in === 'keychain' ? 'the keychain' : 'a file that only you can read'
    const check = result.checked === null ? 'not checked against the service' : 'accepted by the service'
    return `${out.good('✓')} ${what} for ${result.environment} at ${result.base_url} stored in ${where} (${check})`
  }
}
