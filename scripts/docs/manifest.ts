/** Reads every command from oclif.manifest.json. */
import { readFileSync } from 'node:fs'

export interface ManifestFlag {
  readonly name: string
  readonly type: 'boolean' | 'option'
  readonly char?: string
  readonly summary?: string
  readonly description?: string
  readonly helpGroup?: string
  readonly helpValue?: string
  readonly options?: readonly string[]
  readonly default?: unknown
  readonly required?: boolean
  readonly multiple?: boolean
  readonly exclusive?: readonly string[]
  readonly dependsOn?: readonly string[]
  readonly env?: string
  readonly allowNo?: boolean
  readonly hidden?: boolean
}

export interface ManifestArgument {
  readonly name: string
  readonly description?: string
  readonly required?: boolean
  readonly multiple?: boolean
  readonly options?: readonly string[]
}

export interface ManifestCommand {
  readonly id: string
  readonly summary?: string
  readonly description?: string
  readonly aliases: readonly string[]
  readonly hiddenAliases: readonly string[]
  readonly args: Readonly<Record<string, ManifestArgument>>
  readonly flags: Readonly<Record<string, ManifestFlag>>
  readonly examples?: readonly string[]
  readonly hidden?: boolean
}

/** A command with its words: `connections refresh`. */
export interface ListedCommand extends ManifestCommand {
  readonly words: string
}

/** Sorted by their words. */
export function listedCommands(): ListedCommand[] {
  const file = new URL('../../oclif.manifest.json', import.meta.url)
  const { commands } = JSON.parse(readFileSync(file, 'utf8')) as { commands: Record<string, ManifestCommand> }
  return Object.values(commands)
    .map((command) => ({ ...command, words: command.id.replaceAll(':', ' ') }))
    .sort((a, b) => (a.words < b.words ? -1 : 1))
}
