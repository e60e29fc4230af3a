import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isExecutable } from '../machine/executable.ts'

/**
 * The file of a module that runs as a process or a thread of its own: built, it is not beside the module that starts it.
 * `root` is the folder of package.json, `name` its place in src/ without the extension.
 */
export function programFile(root: string, name: `${string}-${'process' | 'thread'}`): URL {
  const file = join(root, import.meta.url.endsWith('.ts') ? `src/${name}.ts` : `dist/${name}.js`)
  // A thread does not see the files inside the executable.
  return name.endsWith('-thread') && isExecutable()
    ? new URL(`data:text/javascript,${encodeURIComponent(readFileSync(file, 'utf8'))}`)
    : pathToFileURL(file)
}
