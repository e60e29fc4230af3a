/** What may stand for a flag's or an argument's value, told by how the manifest describes it. */
import { environmentNames } from '../../config/environment-names.ts'
import { settingKeys } from '../../config/settings-keys.ts'
import { eventTypes } from '../../contract/events.ts'
import { scopes } from '../../contract/scopes.ts'

/** `list`: several of them separated by commas. */
export type Values =
  | { readonly kind: 'words' | 'list'; readonly words: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'free' }

const free: Values = { kind: 'free' }

export interface Described {
  readonly options?: readonly string[] | undefined
  readonly helpValue?: string | string[] | undefined
}

export function flagValues(name: string, { options, helpValue: shown }: Described): Values {
  const helpValue = String(shown ?? '')
  if (options !== undefined) return { kind: 'words', words: options }
  if (helpValue === 'SCOPE,SCOPE') return { kind: 'list', words: scopes }
  if (helpValue === 'TYPE,TYPE' || name === 'events') return { kind: 'list', words: eventTypes }
  if (name === 'type') return { kind: 'words', words: eventTypes }
  if (helpValue === 'FILE') return { kind: 'files' }
  // What help shows as a choice is one: local|sandbox|live.
  if (/^[a-z-]+(\|[a-z-]+)+$/.test(helpValue)) return { kind: 'words', words: helpValue.split('|') }
  return free
}

export function argumentValues(command: string, name: string, { options }: Described): Values {
  if (options !== undefined) return { kind: 'words', words: options }
  if (name === 'type') return { kind: 'words', words: eventTypes }
  if (name === 'file') return { kind: 'files' }
  if (name === 'method') return { kind: 'words', words: ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] }
  if (command.startsWith('config ') && name === 'name') return { kind: 'words', words: settingNames() }
  return free
}

/** Names of settings with the environments filled in; those with another variable part are left to the user. */
function settingNames(): string[] {
  return settingKeys
    .flatMap(({ name }) => environmentNames.map((environment) => name.replace('<env>', environment)))
    .filter((name, at, all) => !name.includes('<') && all.indexOf(name) === at)
}
