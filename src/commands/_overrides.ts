/** Finds the methods and paths that the settings give assumed operations in an environment. */
import { resolveEnvironment } from '../config/environments.ts'
import { openSettings } from '../config/settings.ts'
import type { Machine } from '../machine/machine.ts'

/** By operation. `flag` is `--env`. @throws ConfigError when the environment or the settings are unusable. */
export async function overridesOf(
  machine: Machine,
  flag: string | undefined,
  onWarning: (warning: string) => void,
): Promise<Record<string, string>> {
  const settings = await openSettings(machine, onWarning)
  const { value } = resolveEnvironment({ machine, settings, flag, prefersEmulator: () => false })
  return settings.in(value).overrides()
}
