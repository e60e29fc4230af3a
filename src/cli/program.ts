/** The program as its commands see it: what is here of oclif's Config, read when it is asked for. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command, Interfaces } from '@oclif/core'

export interface Program
  extends Pick<Interfaces.Config, 'bin' | 'name' | 'root' | 'runHook' | 'topics' | 'userAgent' | 'version'> {
  /** As the manifest has them: described, not loaded. */
  readonly commands: readonly Command.Cached[]
}

/** `root` is the folder of package.json and oclif.manifest.json. */
export function programOf(root: URL): Program {
  const read = (file: string) => JSON.parse(readFileSync(new URL(file, root), 'utf8'))
  const { name, version, oclif } = read('package.json') as Interfaces.PJSON
  return {
    bin: 'bankapi',
    name,
    version,
    userAgent: `${name}/${version} ${process.platform}-${process.arch} node-${process.version}`,
    root: fileURLToPath(root),
    // The parser asks for hooks that could change the words.
    runHook: async () => ({ failures: [], successes: [] }),
    get commands() {
      return Object.values((read('oclif.manifest.json') as Interfaces.Manifest).commands)
    },
    get topics() {
      return Object.entries(oclif.topics ?? {}).map(([topic, about]) => ({ ...about, name: topic }))
    },
  }
}
