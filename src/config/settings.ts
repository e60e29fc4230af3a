/** Opens the settings: get, set, unset, list. */
import { dirname, join } from 'node:path'
import { withFolderLock } from '../machine/folder-lock.ts'
import type { Machine } from '../machine/machine.ts'
import { configDir } from '../machine/paths.ts'
import { writePrivateFile } from '../machine/private-file.ts'
import { FileError } from '../machine/private-folder.ts'
import { fault, isSameBase, normalizeBaseUrl } from './base-url.ts'
import { checkOverride } from './endpoint-overrides.ts'
import type { EnvironmentName, Profile } from './environments.ts'
import { ConfigError } from './errors.ts'
import { assertProfileName, environmentsIn, profilesIn } from './profiles.ts'
import {
  entriesIn,
  getAt,
  isTree,
  moveAside,
  readTree,
  removeAt,
  type SettingsTree,
  setAt,
} from './settings-file.ts'
import { checkSetting, findSettingKey, generalName, isGeneral, knownSetting } from './settings-keys.ts'

/** The settings of the user: settings.json in the config folder, 0600. */
export interface Settings {
  /** Where the file is, or would be. */
  readonly path: string
  /**
   * The value of a setting by its dotted name; undefined when it is not set.
   * Throws ConfigError `unknown_setting`, or `invalid_setting` when the file holds an invalid value.
   */
  get(name: string): string | boolean | undefined
  /**
   * Checks and stores one setting; every other one in the file stays, also one another process stores meanwhile.
   * Throws ConfigError as `get` does, FileError `settings_busy` after 5 s, `not_writable` when it cannot be written.
   */
  set(name: string, value: string | boolean): Promise<void>
  /** Removes one setting and returns whether it was set. Throws as `set` does. */
  unset(name: string): Promise<boolean>
  /** Every valid setting by its dotted name, in alphabetical order. */
  list(): Record<string, string | boolean>
  /** One sentence for each entry of the file that cannot be used: an unknown name, or an invalid value. */
  problems(): Promise<string[]>
  /**
   * The settings `endpoints.<area>.<name>` by operation, valid or not: a call of an operation whose override cannot be used is
   * refused, which is better than a request to a path that the user meant to replace. Each is in `list` or in `problems`, and
   * `unset` removes it; a dotted key in the place of nested objects is none.
   */
  overrides(): Record<string, string>
  /** The environments of the user, sorted by name. */
  readonly profiles: readonly Profile[]
  /** Adds a profile. @throws ConfigError `invalid_profile`, `profile_exists` or `base_url_invalid`, and as `set` does. */
  addProfile(profile: Profile, baseUrl: string | undefined): Promise<void>
  /** Removes a profile with its settings, and as the default environment. @throws as `set` does. */
  removeProfile(name: string): Promise<void>
  /** The settings as they are for one environment: `get` prefers `environments.<env>.<name>` to `<name>`. */
  in(environment: EnvironmentName): Settings
}

/**
 * Reads the settings once; later changes of other processes are seen at the next `set` or `unset`.
 *
 * A corrupted file is kept as `settings.json.corrupt-<time>` and reported through `onWarning`; the settings are then
 * empty. Throws FileError `unsafe_file` for a link or for a file that others can write.
 */
export async function openSettings(
  machine: Machine,
  onWarning: (warning: string) => void,
): Promise<Settings> {
  const path = join(configDir(machine), 'settings.json')
  const first = readTree(machine, path)
  let tree = first === 'corrupt' ? await recover(machine, path, onWarning) : first

  const change = async (edit: (current: SettingsTree) => SettingsTree): Promise<SettingsTree> =>
    withFolderLock(machine, dirname(path), () => {
      const before = readOrMoveAside(machine, path, onWarning)
      const after = edit(before)
      if (after !== before) writePrivateFile(machine, path, `${JSON.stringify(after, null, 2)}\n`)
      tree = after
      return before
    })

  const environments = () => environmentsIn(tree)
  const settings: Settings = {
    path,
    get(name) {
      knownSetting(name, environments())
      const value = getAt(tree, name)
      return value === undefined
        ? undefined
        : checkSetting(name, value, { environments: environments(), file: path })
    },
    async set(name, value) {
      refuseMode(name)
      const checked = checkSetting(name, value, { environments: environments() })
      await checkOverride(generalName(name, environments()), checked, { name })
      await change((current) => setAt(current, name, checked))
    },
    async unset(name) {
      refuseMode(name)
      knownSetting(name, environments())
      const isSet = (current: SettingsTree): boolean => getAt(current, name) !== undefined
      return isSet(await change((current) => (isSet(current) ? removeAt(current, name) : current)))
    },
    list: () => validIn(tree),
    problems: () => problemsIn(tree, path),
    overrides: () => overridesAt(tree, 'endpoints'),
    get profiles() {
      return profilesIn(tree)
    },
    async addProfile({ name, mode }, baseUrl) {
      assertProfileName(name)
      const address = baseUrl === undefined ? undefined : normalizeBaseUrl(baseUrl, '--base-url')
      await change((current) => {
        if (profilesIn(current).some((one) => one.name === name)) throw exists(name)
        const other = address === undefined ? undefined : ofOtherMode(current, mode, address)
        if (other !== undefined) throw shared(other, mode)
        const added = setAt(current, `environments.${name}.mode`, mode)
        return address === undefined ? added : setAt(added, `environments.${name}.base_url`, address)
      })
    },
    async removeProfile(name) {
      await change((current) => {
        const without = removeAt(current, `environments.${name}`)
        return getAt(without, 'default_environment') === name
          ? removeAt(without, 'default_environment')
          : without
      })
    },
    in(environment) {
      const own = (name: string) => `environments.${environment}.${name}`
      const hasOwn = (name: string) => isGeneral(name) && getAt(tree, own(name)) !== undefined
      return {
        ...settings,
        get profiles() {
          return settings.profiles
        },
        get: (name) => (hasOwn(name) ? settings.get(own(name)) : undefined) ?? settings.get(name),
        overrides: () => ({ ...settings.overrides(), ...overridesAt(tree, own('endpoints')) }),
      }
    },
  }
  return settings
}

/** The mode of a profile decides which keys it takes: it is chosen once, when the profile is added. */
function refuseMode(name: string): void {
  if (!/^environments\.[^.]+\.mode$/.test(name)) return
  throw new ConfigError(
    'invalid_setting',
    'The mode of a profile does not change.',
    'Remove the profile and add it again: bankapi config profile remove, then bankapi config profile add',
  )
}

function exists(name: string): ConfigError {
  return new ConfigError(
    'profile_exists',
    `There is a profile ${name} already. Nothing was changed.`,
    `What it has: bankapi config profile list\nAnother address: bankapi config set environments.${name}.base_url https://…/v3`,
  )
}

/** The environment of the other mode whose address this is; undefined when there is none. */
function ofOtherMode(tree: SettingsTree, mode: Profile['mode'], address: string): string | undefined {
  const found = environmentsIn(tree).find((one) => {
    const known = getAt(tree, `environments.${one.name}.base_url`)
    const isOther = one.mode !== 'local' && one.mode !== mode
    return isOther && typeof known === 'string' && fault(known) === undefined && isSameBase(known, address)
  })
  return found?.name
}

function shared(other: string, mode: string): ConfigError {
  return new ConfigError(
    'invalid_profile',
    `The address is that of ${other}, which is not ${mode}; a service has one for each. Nothing was changed.`,
    'See the addresses: bankapi config list',
  )
}

async function recover(
  machine: Machine,
  path: string,
  onWarning: (warning: string) => void,
): Promise<SettingsTree> {
  try {
    return await withFolderLock(machine, dirname(path), () => readOrMoveAside(machine, path, onWarning))
  } catch (error) {
    const why = error instanceof FileError ? error.sentence : 'The folder cannot be written.'
    onWarning(`The settings in ${path} are not readable as JSON and are ignored; they stay there. ${why}`)
    return {}
  }
}

/** Call it under the lock: another process may have replaced the corrupted file already. */
function readOrMoveAside(machine: Machine, path: string, onWarning: (warning: string) => void): SettingsTree {
  const tree = readTree(machine, path)
  if (tree !== 'corrupt') return tree
  const aside = moveAside(machine, path)
  onWarning(
    `The settings in ${path} were not readable as JSON. They are kept as ${aside}; starting with none.`,
  )
  return {}
}

function validIn(tree: SettingsTree): Record<string, string | boolean> {
  const environments = environmentsIn(tree)
  const all = entriesIn(tree, (name) => findSettingKey(name, environments) !== undefined)
  const entries = all.flatMap(({ name, value, isNested }): [string, string | boolean][] => {
    const key = isNested ? findSettingKey(name, environments) : undefined
    const checked = key?.value(environments).safeParse(value)
    return checked?.success === true ? [[name, checked.data]] : []
  })
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function overridesAt(tree: SettingsTree, name: string): Record<string, string> {
  const below = getAt(tree, name)
  if (!isTree(below)) return {}
  const isSetting = (operation: string) => findSettingKey(`endpoints.${operation}`, []) !== undefined
  const entries = entriesIn(below, isSetting).filter((one) => one.isNested && isSetting(one.name))
  return Object.fromEntries(entries.map((one) => [one.name, String(one.value)]))
}

async function problemsIn(tree: SettingsTree, path: string): Promise<string[]> {
  const environments = environmentsIn(tree)
  const problems: string[] = []
  const isSetting = (name: string) => findSettingKey(name, environments) !== undefined
  for (const { name, value, isNested } of entriesIn(tree, isSetting)) {
    try {
      knownSetting(name, environments)
      if (!isNested) {
        problems.push(`"${name}" in ${path} is one key; write it as nested objects.`)
        continue
      }
      const checked = checkSetting(name, value, { environments, file: path })
      await checkOverride(generalName(name, environments), checked, { name, file: path })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(error.message)
    }
  }
  return problems
}
