/** Words that the completion of the shell reads from files: environments, settings of environments, known ids. */
import { knownPrefixes } from '../../cli/command/known-ids.ts'
import { environmentsWith } from '../../config/environments.ts'
import { openSettings } from '../../config/settings.ts'
import { settingKeys, spelledOut } from '../../config/settings-keys.ts'
import type { Machine } from '../../machine/machine.ts'

export type IdKind = (typeof knownPrefixes)[number]

/** What `bankapi completion values` may be asked for: words about environments, and ids by their prefix. */
export const kinds = ['profile', 'setting', ...knownPrefixes] as const

export function isIdKind(kind: string): kind is IdKind {
  return (knownPrefixes as readonly string[]).includes(kind)
}

/** The names of profiles and of settings that are asked for. Those of the three environments are in the scripts. */
export async function environmentWords(machine: Machine, asked: readonly string[]): Promise<string[]> {
  if (!asked.includes('profile') && !asked.includes('setting')) return []
  const { profiles } = await openSettings(machine, () => {})
  const names = asked.includes('profile') ? profiles.map(({ name }) => name) : []
  return asked.includes('setting') ? [...names, ...settingNames(profiles)] : names
}

/** Names of settings with these environments filled in, without those that have another variable part. */
export function settingNames(environments: Parameters<typeof spelledOut>[1]): string[] {
  return settingKeys
    .flatMap(({ name }) => (name.includes('<env>') ? spelledOut(name, environments) : []))
    .filter((name) => !name.includes('<'))
}

/** Names of settings that are the same on every machine. */
export function fixedSettingNames(): string[] {
  return settingKeys
    .flatMap(({ name }) => spelledOut(name, environmentsWith([])))
    .filter((name) => !name.includes('<'))
}
