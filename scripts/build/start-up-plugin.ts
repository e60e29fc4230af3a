/**
 * One chunk for what nearly every command needs at its start. esbuild makes a chunk for each set of entries that share
 * something, which puts twenty of them on a command's way, and Node takes a millisecond for each. Imported by every
 * module of src/, and by every package that is an entry of its own, all of start-up.ts is needed by the same set: every
 * entry. It so becomes one chunk.
 */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Loader, Plugin } from 'esbuild'

export const startUpPlugin: Plugin = {
  name: 'start-up',
  setup(build) {
    const { absWorkingDir: root = '.' } = build.initialOptions
    // At the end, so that the lines keep their numbers.
    const statement = `\nimport ${JSON.stringify(join(root, 'scripts/build/start-up.ts'))}\n`
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (!path.startsWith(join(root, 'src/'))) return undefined
      const source = await readFile(path, 'utf8')
      return { contents: source + statement, loader: extname(path).slice(1) as Loader }
    })

    build.onResolve({ filter: /^[@a-z]/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === 'resolved' || path.startsWith('node:')) return undefined
      const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: 'resolved' })
      return found.external ? found : { ...found, pluginData: 'entry' }
    })
    build.onLoad({ filter: /\.m?js$/ }, async ({ path, pluginData }) => {
      if (pluginData !== 'entry') return undefined
      const source = await readFile(path, 'utf8')
      // esbuild does not know the names of one, and gives its import() only a default.
      if (!/^(?:import|export)\b/m.test(source)) {
        throw new Error(`${path} is CommonJS: import it in a module of its own, and import() that`)
      }
      return { contents: source + statement, loader: 'js' }
    })
  },
}
