/** The folders that bankapi keeps its files in. */
import { isAbsolute, join, posix, win32 } from 'node:path'
import { type Machine, variable } from './machine.ts'

/**
 * The folder for settings and the credentials file: `BANKAPI_CONFIG_DIR`, else `XDG_CONFIG_HOME/bankapi`, else the
 * system's usual place. Nothing is created.
 */
export function configDir(machine: Machine): string {
  return folderOf(machine, 'BANKAPI_CONFIG_DIR', 'XDG_CONFIG_HOME', {
    darwin: ['Library', 'Preferences'],
    win32: variable(machine, 'APPDATA') ?? ['AppData', 'Roaming'],
    other: ['.config'],
  })
}

/**
 * The folder for the inbox and the emulator's data: `BANKAPI_DATA_DIR`, else `XDG_DATA_HOME/bankapi`, else the
 * system's usual place. Nothing is created.
 */
export function dataDir(machine: Machine): string {
  return folderOf(machine, 'BANKAPI_DATA_DIR', 'XDG_DATA_HOME', {
    darwin: ['Library', 'Application Support'],
    win32: variable(machine, 'LOCALAPPDATA') ?? ['AppData', 'Local'],
    other: ['.local', 'share'],
  })
}

/** The file of an environment's mirror, unless `sync.to` or `--to` names another one. */
export function mirrorFile(machine: Machine, environment: string): string {
  return join(dataDir(machine), `mirror-${environment}.sqlite`)
}

/** The usual folder on each system: an absolute path, or one below the home folder. */
interface DefaultFolders {
  readonly darwin: readonly string[]
  readonly win32: string | readonly string[]
  readonly other: readonly string[]
}

function folderOf(machine: Machine, own: string, xdg: string, defaults: DefaultFolders): string {
  const path = machine.platform === 'win32' ? win32 : posix
  const chosen = variable(machine, own)
  if (chosen !== undefined) return path.resolve(chosen)

  const shared = variable(machine, xdg)
  // The XDG specification: a relative path in these variables is invalid and is ignored.
  if (shared !== undefined && isAbsolute(shared)) return path.join(shared, 'bankapi')

  const system = machine.platform === 'darwin' || machine.platform === 'win32' ? machine.platform : 'other'
  const usual = defaults[system]
  if (typeof usual === 'string') return path.join(usual, 'bankapi')
  return path.join(machine.homedir, ...usual, 'bankapi')
}
