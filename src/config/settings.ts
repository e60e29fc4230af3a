/** Opens the settings: get, set, unset, list. */
import { dirname, join } from 'node:path'
import { withFolderLock } from '../machine/folder-lock.ts'
import type { Machine } from '../machine/machine.ts'
import { configDir } from '../machine/paths.ts'
import { writePrivateFile } from '../machine/private-file.ts'
import { FileError } from '../machine/private-folder.ts'
import { ConfigError } from './errors.ts'
import { getAt, moveAside, namesIn, readTree, removeAt, type SettingsTree, setAt } from './settings-file.ts'
import { checkSetting, findSettingKey, knownSetting } from './settings-keys.ts'

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
  /** One sentence for each entry of the file that is ignored: an unknown name, or an invalid value. */
  problems(): string[]
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

  return {
    path,
    get(name) {
      knownSetting(name)
      const value = getAt(tree, name)
      return value === undefined ? undefined : checkSetting(name, value, path)
    },
    async set(name, value) {
      const checked = checkSetting(name, value)
      await change((current) => setAt(current, name, checked))
    },
    async unset(name) {
      knownSetting(name)
      const isSet = (current: SettingsTree): boolean => getAt(current, name) !== undefined
      return isSet(await change((current) => (isSet(current) ? removeAt(current, name) : current)))
    },
    list: () => validIn(tree),
    problems: () => problemsIn(tree, path),
  }
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

const isSetting = (name: string): boolean => findSettingKey(name) !== undefined

function validIn(tree: SettingsTree): Record<string, string | boolean> {
  const names = namesIn(tree, isSetting).sort()
  const entries = names.flatMap((name): [string, string | boolean][] => {
    const value = findSettingKey(name)?.value().safeParse(getAt(tree, name))
    return value?.success === true ? [[name, value.data]] : []
  })
  return Object.fromEntries(entries)
}

function problemsIn(tree: SettingsTree, path: string): string[] {
  return namesIn(tree, isSetting).flatMap((name) => {
    try {
      knownSetting(name)
      const value = getAt(tree, name)
      if (value === undefined) return [`"${name}" in ${path} is one key; write it as nested objects.`]
      checkSetting(name, value, path)
      return []
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return [error.message]
    }
  })
}
