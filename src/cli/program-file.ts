import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The file of a module that runs as a process or a thread of its own: built, it is not beside the module that starts it.
 * `root` is the folder of package.json, `name` its place in src/ without the extension.
 */
export function programFile(root: string, name: `${string}-${'process' | 'thread'}`): URL {
  const file = import.meta.url.endsWith('.ts') ? `src/${name}.ts` : `dist/${name}.js`
  return pathToFileURL(join(root, file))
}
