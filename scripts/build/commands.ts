/** Lists the commands: every module below src/commands whose name does not begin with _. */
import { globSync } from 'node:fs'
import { join } from 'node:path'

/** The words of every command, sorted: `connections list`. */
export function commandsIn(root: string): string[] {
  const files = globSync('**/*.ts', { cwd: join(root, 'src/commands') })
  return files
    .filter((file) => !/(?:^|[\\/])_/.test(file))
    .map((file) => file.replace(/\.ts$/, '').split(/[\\/]/).join(' '))
    .sort()
}
