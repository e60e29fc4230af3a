/** Names of profiles, and the profiles in the tree of the settings: each is an `environments.<name>` with a mode. */
import { type Environment, environmentsWith, isBuiltIn, type Profile } from './environments.ts'
import { ConfigError } from './errors.ts'
import { getAt, type SettingsTree } from './settings-file.ts'

const MAX_NAME_LENGTH = 32

/**
 * A name is part of file names, of keychain accounts (`<name>/api-key`) and of the names of settings, also where upper
 * and lower case are the same.
 */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/

/** Windows opens a device for a file of this name, whatever its ending. */
const DEVICE = /^(con|prn|aux|nul|(com|lpt)\d)$/

/** @throws ConfigError `invalid_profile` for a name that cannot be one. The name is repeated only where it is none of a secret. */
export function assertProfileName(name: string): void {
  if (isBuiltIn(name.trim().toLowerCase())) {
    throw new ConfigError(
      'invalid_profile',
      `A profile cannot be named like ${name.trim().toLowerCase()}, which is always there.`,
      'Choose another name, such as that of the customer: bankapi config profile add acme …',
    )
  }
  if (isProfileName(name)) return
  throw new ConfigError(
    'invalid_profile',
    'This cannot be the name of a profile.',
    `A name has at most ${MAX_NAME_LENGTH} lower-case letters, digits and single hyphens, a letter first: acme, acme-eu`,
  )
}

function isProfileName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && NAME.test(name) && !DEVICE.test(name)
}

/** The profiles of the settings, sorted. What a person wrote into the file and is none is left out. */
export function profilesIn(tree: SettingsTree): Profile[] {
  const environments = getAt(tree, 'environments')
  if (typeof environments !== 'object' || environments === null) return []
  return Object.keys(environments)
    .filter((name) => isProfileName(name) && !isBuiltIn(name))
    .sort()
    .flatMap((name) => {
      const mode = getAt(tree, `environments.${name}.mode`)
      return mode === 'sandbox' || mode === 'live' ? [{ name, mode }] : []
    })
}

export function environmentsIn(tree: SettingsTree): readonly Environment[] {
  return environmentsWith(profilesIn(tree))
}
