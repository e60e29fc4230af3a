/** The files of the built program: everything below dist/. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire, getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'
import { requireWithCache } from './code-cache.ts'
import type { Commands } from './command-line.ts'

/** The program's own files. Built: in dist/. Under bin/dev.js: in src/, with help made anew each time. */
export interface ProgramFiles {
  /** The folder of package.json and oclif.manifest.json. */
  readonly root: URL
  commands(): Commands
  /** Loads, once, what runs a command or reports a failure. `use` names what for: `connections-list`. */
  bundle(use: string): Promise<typeof import('./bundle.ts')>
  /** The help of a command, an area or a topic, of the whole program for no words; undefined when there is none. */
  helpPage(words: readonly string[]): Promise<string | undefined>
}

/** What the build writes down of itself, in dist/program.json. */
export interface BuiltProgram {
  /** The name of the file that src/cli/bundle.ts became. */
  readonly bundle: string
  readonly commands: Commands
}

export interface Preparations {
  /** Called once, before the first use of process.stdout or process.stderr. */
  readonly beforeStreams: () => void
  /** Called once, before the bundle is loaded. */
  readonly beforeBundle: () => void
}

/** `root` is the folder of package.json. */
export function builtFiles(root: URL, { beforeStreams, beforeBundle }: Preparations): ProgramFiles {
  const dist = new URL('dist/', root)
  let program: BuiltProgram | undefined
  const built = (): BuiltProgram => {
    program ??= JSON.parse(readFileSync(new URL('program.json', dist), 'utf8')) as BuiltProgram
    return program
  }
  let bundle: unknown
  const load = (file: string, use: string): unknown => {
    beforeStreams()
    beforeBundle()
    const folder = getCompileCacheDir()
    return folder === undefined ? createRequire(file)(file) : requireWithCache(file, folder, use)
  }
  return {
    root,
    commands: () => built().commands,
    async bundle(use) {
      bundle ??= load(fileURLToPath(new URL(built().bundle, dist)), use)
      return bundle as typeof import('./bundle.ts')
    },
    async helpPage(words) {
      const file = helpPageFile(words, dist)
      if (!existsSync(file)) return undefined
      // Its page is all that is written then.
      beforeStreams()
      return readFileSync(file, 'utf8')
    },
  }
}

/** `help/keys/list.txt`: the build writes it, with oclif's own help. */
export function helpPageFile(words: readonly string[], dist: URL): URL {
  return new URL(`help/${words.length === 0 ? 'index' : words.join('/')}.txt`, dist)
}
