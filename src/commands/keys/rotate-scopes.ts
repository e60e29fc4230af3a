import { Args } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { assertScopes, keyScopesFlag, yesFlag } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { ApiKey } from '../../contract/keys.ts'
import { unknownScopes } from '../../contract/scopes.ts'
import { BankapiError } from '../../errors.ts'
import { apiKeyFields } from '../../output/resources.ts'
import type { View } from '../../output/view.ts'
import {
  assertNotInUse,
  currentScopes,
  findKey,
  findListedKey,
  isPrefix,
  type ListedKey,
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
    const asksList = !set.includes('write:api-keys') || unknownScopes(set).length > 0
    const key = asksList ? await findListedKey(this.context, id) : undefined
    return this.#change(key ?? { id }, { set }, secret)
  }

  async #change(key: ListedKey, change: ScopeChange, secret: string): Promise<ApiKey> {
    const current = currentScopes(key)
    if (current === undefined && !('set' in change)) throw unknownCurrentScopes(key)
    await assertScopes('set' in change ? change.set : [...change.add, ...change.remove], current)
    const { after, added, removed } = scopeDifference(current ?? [], change)
    if (current !== undefined && added.length + removed.length === 0) {
      this.note('Nothing changes.')
      return key as ApiKey
    }
    if (after.length === 0) throw new UsageError('A key needs at least one scope')
    if (!after.includes('write:api-keys') && current?.includes('write:api-keys') !== false) {
      assertNotInUse(key, secret)
      if (isPrefix(key, secret) === undefined) this.#warnOfLockout(key)
    }
    if (current === undefined) {
      this.tell(`The complete new set: ${after.join(', ')}`)
      await this.confirm(`Replace the scopes of ${key.id} by this set?`)
    } else {
      for (const scope of added) this.tell(`+ ${scope}`)
      for (const scope of removed) this.tell(`- ${scope}`)
      await this.confirm(`Change the scopes of ${key.prefix ? `${key.prefix} (${key.id})` : key.id}?`)
    }
    return this.#send(key.id, after)
  }

  #warnOfLockout({ id }: ListedKey): void {
    this.warning(
      `Whether ${id} is the key in use cannot be told. If it is, it could never change a key again: ` +
        'the set lacks write:api-keys.',
    )
  }

  #send(id: string, scopes: readonly string[]): Promise<ApiKey> {
    return this.api.keys.updateScopes({ api_key_id: id, scopes: [...scopes] }, { signal: this.signal })
  }

  async #wanted(key: ApiKey): Promise<ScopeChange> {
    const { add, remove, set } = this.flags
    if (set !== undefined) return { set }
    if (add !== undefined || remove !== undefined) return { add: add ?? [], remove: remove ?? [] }
    const current = currentScopes(key)
    if (current === undefined) throw unknownCurrentScopes(key)
    return { set: await chooseScopes(key, current, this.terminal, this.signal) }
  }

  protected override view(key: ApiKey, out: View): string {
    return out.record(key, apiKeyFields)
  }
}

function unknownCurrentScopes({ id }: ListedKey): BankapiError {
  return new BankapiError(
    `The current scopes of ${id} are not known: the list of keys has none that can be read. Nothing was sent, as the ` +
      'service takes the complete set',
    {
      code: 'scopes_unknown',
      exit: 'unexpected',
      hint:
        "The reference does not show the list. Set the right path: bankapi config set endpoints.keys.list 'GET /path'\n" +
        `Or give the complete set: bankapi keys rotate-scopes ${id} --set a,b`,
    },
  )
}
