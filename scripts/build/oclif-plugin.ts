/**
 * The part of oclif that a command needs when it runs: its Command, its flags, its parser and its errors.
 *
 * `import … from '@oclif/core'` evaluates all of oclif, which takes 24 ms: it finds plugins, compiles templates, draws
 * spinners. The program does none of that (see src/cli/dispatch.ts), so those modules are left out, and the others
 * are loaded where they are first used.
 */
import { readFile } from 'node:fs/promises'
import type { OnResolveArgs, Plugin } from 'esbuild'

/** Modules of oclif that are left out, by the end of their path. A use of one of them throws. */
const leftOut = [
  'config',
  'help',
  'help/util',
  'ux',
  'logger',
  'errors/handle',
  'errors/pretty-print',
  'util/fs',
]

const requireLine =
  /^(?:const|var) (\w+) = ((?:__importDefault|__importStar)\()?require\((["'][^"']+["'])\)(\))?;$/gm

/**
 * A CommonJS module as TypeScript writes it, with each `const errors_1 = require("./errors")` at its top put off until
 * `errors_1` is used. TypeScript writes every use as `errors_1.name`; an import that is used otherwise stays.
 */
export function requireLate(source: string): string {
  let late = source
  for (const [line, name = '', open = '', module, close = ''] of source.matchAll(requireLine)) {
    const rest = late.replace(line, '')
    const use = `(?<![.\\w$"'])${name}\\b(?!["'])`
    if (new RegExp(`${use}(?!\\.)`).test(rest)) continue
    const getter = `{ get late() { return (${name}$ ??= ${open}require(${module})${close}) } }`
    late = `let ${name}$; const ${name} = ${getter};${rest.replace(new RegExp(use, 'g'), `${name}.late`)}`
  }
  return late
}

const isOclif = (path: string): boolean => /@oclif[\\/]core[\\/]lib[\\/]/.test(path)

export const oclifPlugin: Plugin = {
  name: 'oclif',
  setup(build) {
    const { absWorkingDir: root = '.' } = build.initialOptions
    const from = { kind: 'import-statement', resolveDir: root, pluginData: 'resolved' } as const

    build.onResolve({ filter: /^@oclif\/core$/ }, () => build.resolve('./scripts/build/oclif.ts', from))
    // What of oclif.ts nobody imports is left out.
    build.onResolve({ filter: /^@oclif\/core\// }, async ({ path, pluginData }) =>
      pluginData === 'resolved' ? undefined : { ...(await build.resolve(path, from)), sideEffects: false },
    )
    build.onResolve(
      { filter: /^\./ },
      async ({ path, importer, resolveDir, kind, pluginData }: OnResolveArgs) => {
        if (pluginData === 'resolved' || !isOclif(importer)) return undefined
        const found = await build.resolve(path, { kind, importer, resolveDir, pluginData: 'resolved' })
        const module = found.path
          .replace(/^.*@oclif[\\/]core[\\/]lib[\\/]/, '')
          .replace(/(?:[\\/]index)?\.js$/, '')
        return leftOut.includes(module) ? { path: module, namespace: 'left-out' } : found
      },
    )
    build.onLoad({ filter: /./, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`@oclif/core/${path} is not part of the bundle`)})`,
      loader: 'js',
    }))
    build.onLoad({ filter: /@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async ({ path }) => ({
      contents: requireLate(await readFile(path, 'utf8')),
      loader: 'js',
    }))
  },
}
