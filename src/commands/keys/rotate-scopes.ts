import { Args } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { assertScopes, keyScopesFlag, yesFlag } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { ApiKey } from '../../contract/keys.ts'
import { unknownScopes } from '../../contract/scopes.ts'
import { apiKeyFields } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'
import {
  assertNoLockout,
  findKey,
  findListedKey,
  type ScopeChange,
  scopeDifference,
} from '../../workflows/rotate-scopes.ts'
import { chooseScopes } from './_scope-checklist.ts'

export default class KeysRotateScopes extends ApiCommand<typeof KeysRotateScopes, ApiKey> {
  static override summary = "Change an API key's scopes; its secret stays the same"
  static override description =
    'The service takes the complete final set. --add and --remove read the current one first; the difference is shown and ' +
    'asked about. --set with an id sends the set as it is, and reads the current one only to protect the key in use, or for a scope unknown here. ' +
    'Without an id it is the key in use; on a terminal without flags, a checklist. ' +
    'Taking write:api-keys from the key in use is refused: nothing could give it back.'
  static override examples = [
    '<%= config.bin %> keys rotate-scopes --add read:checks',
    '<%= config.bin %> keys rotate-scopes 3f0c8a52-6a1e-4c0b-9f53-0d6f7f1b2a11 --remove write:clients --yes',
    '<%= config.bin %> keys rotate-scopes 3f0c8a52-6a1e-4c0b-9f53-0d6f7f1b2a11 --set read:accounts,read:transactions',
  ]
  static override args = {
    id: Args.string({ description: 'API key, a UUID (default: the key in use)', ignoreStdin: true }),
  }
  static override flags = {
    add: keyScopesFlag({ summary: 'Scopes to add', exclusive: ['set'] }),
    remove: keyScopesFlag({ summary: 'Scopes to take away', exclusive: ['set'] }),
    set: keyScopesFlag({ summary: 'The complete new set' }),
    yes: yesFlag,
  }

  protected override async execute(): Promise<ApiKey> {
    const { id } = this.args
    const { set } = this.flags
    const { secret } = await this.session.apiKey()
    if (id !== undefined && set !== undefined) return this.#replace(id, set, secret)
    const key = await findKey(this.context, id === undefined ? { secretInUse: secret } : { id })
    if (key === undefined) {
      throw new UsageError(
        id === undefined ? 'Which key is in use cannot be told' : `There is no API key ${id}`,
        {
          code: 'key_not_found',
          hint: 'Give its id: bankapi keys list',
        },
      )
    }
    return this.#change(key, await this.#wanted(key), secret)
  }

  /** Sends the complete set. The list of keys, which is assumed, is asked only for what the set itself leaves open. */
  async #replace(id: string, set: readonly string[], secret: string): Promise<ApiKey> {
    const locksOut = !set.includes('write:api-keys')
    const key = locksOut || unknownScopes(set).length > 0 ? await findListedKey(this.context, id) : undefined
    if (key !== undefined) return this.#change(key, { set }, secret)
    await assertScopes(set)
    this.note(`The complete new set: ${set.join(', ')}`)
    if (locksOut) {
      this.warning(
        `Whether ${id} is the key in use cannot be told. If it is, it could never change a key again: ` +
          'the set lacks write:api-keys.',
      )
    }
    await this.confirm(`Replace the scopes of ${id} by this set?`)
    return this.#send(id, set)
  }

  async #change(key: ApiKey, change: ScopeChange, secret: string): Promise<ApiKey> {
    await assertScopes('set' in change ? change.set : [...change.add, ...change.remove], key.scopes)
    const difference = scopeDifference(key.scopes, change)
    if (difference.added.length + difference.removed.length === 0) {
      this.note('Nothing changes.')
      return key
    }
    if (difference.after.length === 0) throw new UsageError('A key needs at least one scope')
    assertNoLockout(key, difference, secret)
    for (const scope of difference.added) this.note(`+ ${scope}`)
    for (const scope of difference.removed) this.note(`- ${scope}`)
    await this.confirm(`Change the scopes of ${key.prefix} (${key.id})?`)
    return this.#send(key.id, difference.after)
  }

  #send(id: string, scopes: readonly string[]): Promise<ApiKey> {
    return this.api.keys.updateScopes({ api_key_id: id, scopes: [...scopes] }, { signal: this.signal })
  }

  async #wanted(key: ApiKey): Promise<ScopeChange> {
    const { add, remove, set } = this.flags
    if (set !== undefined) return { set }
    if (add !== undefined || remove !== undefined) return { add: add ?? [], remove: remove ?? [] }
    return { set: await chooseScopes(key, this.terminal, this.signal) }
  }

  protected override view(key: ApiKey, out: View): string {
    return out.record(key, apiKeyFields)
  }
}
