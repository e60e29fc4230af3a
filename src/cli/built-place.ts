/** The files of the built program: everything below dist/. */
import { existsSync, readFileSync } from 'node:fs'
import type { Place } from './place.ts'

/** `root` is the folder of package.json. */
export function builtPlace(root: URL): Place {
  const dist = new URL('dist/', root)
  return {
    root,
    commands: () => JSON.parse(readFileSync(new URL('commands.json', dist), 'utf8')),
    async bundle() {
      // Not import(): it would search the whole file for names of exports first.
      return process.getBuiltinModule('node:module').createRequire(dist)('./bankapi.cjs')
    },
    async helpPage(words) {
      const file = helpPageFile(words, dist)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
  }
}

/** `help/keys/list.txt`: the build writes it, with oclif's own help. */
export function helpPageFile(words: readonly string[], dist: URL): URL {
  return new URL(`help/${words.length === 0 ? 'index' : words.join('/')}.txt`, dist)
}
