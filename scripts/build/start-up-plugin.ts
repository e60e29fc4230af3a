/**
 * One chunk for what nearly every command needs at its start. esbuild makes a chunk for each set of entries that share
 * something, which puts twenty of them on a command's way, and Node takes a millisecond for each. Imported by every
 * module of src/, all of start-up.ts is needed by the same set: every entry. It so becomes one chunk.
 */
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Loader, Plugin } from 'esbuild'

export const startUpPlugin: Plugin = {
  name: 'start-up',
  setup(build) {
    const { absWorkingDir: root = '.', external = [] } = build.initialOptions
    const statement = `import ${JSON.stringify(join(root, 'scripts/build/start-up.ts'))}`
    // A package that is imported late shares esbuild's own functions with the others.
    build.onResolve({ filter: /^[^./]/ }, ({ path, kind, namespace }) =>
      kind === 'dynamic-import' &&
      namespace === 'file' &&
      !path.startsWith('node:') &&
      !external.includes(path)
        ? { path, namespace: 'late-package' }
        : undefined,
    )
    build.onLoad({ filter: /./, namespace: 'late-package' }, ({ path }) => ({
      contents: `export * from '${path}'\n${statement}`,
      resolveDir: root,
    }))
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      if (!path.startsWith(join(root, 'src/'))) return undefined
      // At the end, so that the lines keep their numbers.
      const contents = `${await readFile(path, 'utf8')}\n${statement}\n`
      return { contents, loader: extname(path).slice(1) as Loader }
    })
  },
}
