/** Lists the files of the program that become part of an executable: dist/, and the packages that it finds at run time. */
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, sep } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { installed } from '../build/bundle.ts'
import { type BundledPackage, bundledPackages } from '../build/bundled-packages.ts'

/** Packages whose code is not, or not everywhere, in dist/. The keychain's native code is in one more, of each system. */
const foundAtRunTime = [...installed, 'string-width']

/** Files that these packages open by name. */
const openedByName = ['node_modules/jq-wasm/dist/build/jq.wasm']

/** Of dist/: what only other programs import, and what only builds and tests read. */
const leftOut =
  /\.map$|^dist[\\/](?:(?:types|client)[\\/]|metafile\.json|sources\.json|LICENSES\.txt|(?:emulator|webhooks)\.js$)/

export interface Contents {
  /** Relative to the root of the project, as in the executable. */
  readonly files: readonly string[]
  /** Those whose files are among them. */
  readonly packages: readonly BundledPackage[]
}

export async function contentsOf(root: string): Promise<Contents> {
  const { metafile } = await build({
    absWorkingDir: root,
    stdin: {
      contents: foundAtRunTime
        .map((name) => `import(${JSON.stringify(name)}); require(${JSON.stringify(name)})`)
        .join('\n'),
      resolveDir: root,
    },
    bundle: true,
    write: false,
    outdir: 'unused',
    metafile: true,
    platform: 'node',
    format: 'esm',
    external: ['*.node', '@napi-rs/keyring-*'],
    // Node's. esbuild adds one of its own unless some are given.
    conditions: ['module-sync', 'node-addons'],
    logLevel: 'error',
  })
  assertResolvedAsNodeDoes(root, metafile)
  const modules = Object.keys(metafile.inputs).filter((file) => file.startsWith('node_modules/'))
  const packages = await bundledPackages(root, metafile.outputs)
  const dist = globSync('dist/**/*.*', { cwd: root }).filter((file) => !leftOut.test(file))
  return {
    files: [
      ...new Set([
        ...['package.json', 'oclif.manifest.json', 'bin/run.js'],
        ...dist,
        ...modules,
        ...packages.map(({ folder }) => `${folder}/package.json`),
        ...openedByName,
      ]),
    ].sort(),
    packages,
  }
}

/** @throws Error for a module that Node would load from another file: that one would not be in the executable. */
function assertResolvedAsNodeDoes(root: string, { inputs }: Metafile): void {
  for (const [file, { imports }] of Object.entries(inputs)) {
    if (!file.startsWith('node_modules/')) continue
    const { resolve } = createRequire(join(root, file))
    for (const { path, original = '', kind, external = false } of imports) {
      if (kind !== 'require-call' || external) continue
      const resolved = relative(root, resolve(original)).split(sep).join('/')
      if (resolved !== path)
        throw new Error(`${file} requires ${original}: Node loads ${resolved}, not ${path}`)
    }
  }
}
