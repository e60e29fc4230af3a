/** Checks the settings `endpoints.<area>.<name>` against the contract, which is loaded only for them. */
import { ConfigError, closest } from './errors.ts'
import { quoted } from './settings-keys.ts'

/**
 * `general` is the name of the setting without its environment, `name` the whole. Settings of another kind pass. The value is
 * never repeated; `file` is named when it was found in one.
 * @throws ConfigError `unknown_setting` or `invalid_setting`, with the endpoints that can be set.
 */
export async function checkOverride(
  general: string,
  value: unknown,
  { name, file }: { readonly name: string; readonly file?: string },
): Promise<void> {
  if (!general.startsWith('endpoints.')) return
  const operation = general.slice('endpoints.'.length)
  const [{ everyEndpoint }, { isSameRequest, readOverride }] = await Promise.all([
    import('../contract/contract.ts'),
    import('../contract/overrides.ts'),
  ])
  const endpoints = new Map(everyEndpoint().map((row) => [`${row.area}.${row.name}`, row.endpoint]))
  const assumed = [...endpoints].flatMap(([one, { origin }]) => (origin === 'assumed' ? [one] : []))
  const hint = `Endpoints whose path the reference does not show: ${assumed.join(', ')}`
  const where = file === undefined ? '' : ` in ${file}`
  const endpoint = endpoints.get(operation)
  if (endpoint === undefined) {
    const meant = closest(operation, assumed)
    throw new ConfigError(
      'unknown_setting',
      `There is no setting${quoted(name)}${where}: no operation has this name.${meant === undefined ? '' : ` Did you mean endpoints.${meant}?`}`,
      hint,
    )
  }
  const read = readOverride(endpoint, String(value))
  if ('fault' in read) throw new ConfigError('invalid_setting', `${name}${where} ${read.fault}.`, hint)
  // A read would become a write, which the command neither confirms nor guards.
  const other = [...endpoints].find(([one, its]) => one !== operation && isSameRequest(its, read))
  if (other !== undefined) {
    throw new ConfigError(
      'invalid_setting',
      `${name}${where} has the method and path of ${other[0]}.`,
      `Give the method and path that the service has for ${operation}`,
    )
  }
}
