/** Checks that a name is that of a profile. */
import { isBuiltIn } from '../../../config/environments.ts'
import { ConfigError } from '../../../config/errors.ts'
import { openSettings } from '../../../config/settings.ts'
import type { Machine } from '../../../machine/machine.ts'

/** @throws ConfigError `unknown_profile`. */
export async function assertProfile(
  machine: Machine,
  name: string,
  onWarning: (warning: string) => void,
): Promise<void> {
  const { profiles } = await openSettings(machine, onWarning)
  if (profiles.some((one) => one.name === name)) return
  throw new ConfigError(
    'unknown_profile',
    isBuiltIn(name) ? `${name} is no profile: it is always there.` : 'There is no profile of this name.',
    isBuiltIn(name)
      ? `Forget its secrets: bankapi logout --env ${name}`
      : 'Those there are: bankapi config profile list',
  )
}
