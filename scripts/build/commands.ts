/** Lists the commands: every module below src/commands whose name does not begin with _. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Command, Interfaces } from '@oclif/core'
import type { Commands, ValueFlags } from '../../src/cli/command-line.ts'

/** The words of every command, sorted, with the flags that take a value, from the manifest. */
export function commandsIn(root: string, { commands }: Pick<Interfaces.Manifest, 'commands'>): Commands {
  const files = globSync('**/*.ts', { cwd: join(root, 'src/commands') })
  const names = files
    .filter((file) => !/(?:^|[\\/])_/.test(file))
    .map((file) => file.replace(/\.ts$/, '').split(/[\\/]/).join(' '))
  return Object.fromEntries(
    names.sort().map((name) => [name, valueFlagsOf(commands[name.replaceAll(' ', ':')]?.flags ?? {})]),
  )
}

function valueFlagsOf(flags: Command.Cached['flags']): ValueFlags {
  return Object.fromEntries(
    Object.entries(flags)
      .filter(([, { type }]) => type === 'option')
      .map(([name, { char }]) => [name, char ?? '']),
  )
}
