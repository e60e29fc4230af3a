/** Checks the files of the package and the packages that are installed with it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { bundledPackages } from '../../scripts/build/bundled-packages.ts'
import { root } from '../support/built-program.ts'

const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const manifest = read('package.json') as Record<string, unknown> & {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  scripts: Record<string, string>
}
const { outputs } = read('dist/metafile.json') as Metafile
const bundled = await bundledPackages(root, outputs)

const [packed] = JSON.parse(
  execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
) as [{ files: { path: string; size: number }[]; unpackedSize: number }]
const paths = packed.files.map(({ path }) => path)

describe('the package', () => {
  it('has bin/run.js, the bundle with its licences, the manifest, README and changelog', () => {
    const outside = paths.filter((path) => !path.startsWith('dist/'))
    expect(outside.sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin/run.js', 'oclif.manifest.json', 'package.json'].sort(),
    )
    const tops = new Set(paths.filter((path) => path.startsWith('dist/')).map((path) => path.split('/')[1]))
    expect([...tops].map((name) => name?.replace(/^bankapi-\w{8}\.cjs$/, 'bankapi-HASH.cjs')).sort()).toEqual(
      [
        'LICENSES.txt',
        'bankapi-HASH.cjs',
        'secrets',
        'browser',
        'chalk.cjs',
        'charts.cjs',
        'client',
        'cli-spinners.cjs',
        'delivery-lines.cjs',
        'ejs.cjs',
        'emulator-start.cjs',
        'emulator.js',
        'help',
        'help-page.cjs',
        'kysely.cjs',
        'listener',
        'llhttp-wasm.cjs',
        'load-screen.cjs',
        'main.cjs',
        'mcp-sdk.cjs',
        'mcp-bridge.cjs',
        'minimatch.cjs',
        'openapi.cjs',
        'operation-line.cjs',
        'pg-boss.cjs',
        'pg.cjs',
        'program.json',
        'prompts.cjs',
        'screen.js',
        'semver.cjs',
        'standard-fonts',
        'statement-pdf.cjs',
        'sync',
        'tinyglobby.cjs',
        'tui-loop.cjs',
        'types',
        'views',
        'webhooks.js',
        'whole-undici.cjs',
        'yaml.cjs',
      ].sort(),
    )
  })

  it('has no sources, tests, source maps or secrets', () => {
    const unwanted =
      /\.(?:map|test\.\w+)$|(?<!\.d)\.tsx?$|\.env|metafile\.json|(?:^|\/)(?:src|test|scripts)\//
    expect(paths.filter((path) => unwanted.test(path))).toEqual([])
  })

  it('has every command of the manifest, and a page of help for it', () => {
    const ids = Object.keys(read('oclif.manifest.json').commands)
    const { bundle, commands } = read('dist/program.json')
    expect(Object.keys(commands)).toEqual(ids.map((id) => id.replaceAll(':', ' ')).sort())
    const inputs = Object.keys(outputs[`dist/${bundle}`]?.inputs ?? {})
    const missing = ids.flatMap((id) => {
      const words = id.replaceAll(':', '/')
      return [
        ...(inputs.includes(`src/commands/${words}.ts`) ? [] : [`src/commands/${words}.ts`]),
        ...(paths.includes(`dist/help/${words}.txt`) ? [] : [`dist/help/${words}.txt`]),
      ]
    })
    expect(missing).toEqual([])
  })
})

describe('the set of its dependencies', () => {
  it('is exactly the imports of the files of dist/', () => {
    const imported = new Set(
      Object.values(outputs)
        .flatMap(({ imports }) => imports)
        .filter(({ external, path }) => external && !isBuiltin(path) && !path.startsWith('.'))
        .map(({ path }) => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path),
    )
    const known = Object.keys(manifest.dependencies)
    // Ink loads the first with DEV=true only, pg the second when it is asked to; oclif loads the others only where a plugin is
    // developed.
    for (const name of ['react-devtools-core', 'pg-native', 'typescript', 'picomatch']) imported.delete(name)
    expect([...imported].filter((name) => !known.includes(name))).toEqual([])
    // Loaded by name (string-width), or native (the keychain).
    const others = known.filter((name) => !imported.has(name))
    const plain = ['fastify', 'jq-wasm', 'string-width', '@napi-rs/keyring']
    expect(others.filter((name) => !plain.includes(name))).toEqual([])
  })

  it('has no old copy of pako or base64-js: not in the lock file, not in dist/', () => {
    const old = /\b(?:pako 0|base64-js 0)\./
    const { packages } = read('package-lock.json') as { packages: Record<string, { version?: string }> }
    const locked = Object.entries(packages).map(
      ([path, { version }]) => `${path.split('node_modules/').at(-1)} ${version}`,
    )
    expect(locked.filter((id) => old.test(id))).toEqual([])
    const inBuild = bundled.map(({ name, version }) => `${name} ${version}`)
    expect(inBuild).toContain(`pdfkit ${manifest.devDependencies['pdfkit']}`)
    expect(inBuild.filter((id) => old.test(id))).toEqual([])
  })

  it('is pinned to exact versions', () => {
    expect(
      Object.values(manifest.dependencies).filter((version) => !/^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(version)),
    ).toEqual([])
  })

  it('runs no install script, its own or of any package', () => {
    const { packages } = read('package-lock.json') as {
      packages: Record<string, { hasInstallScript?: boolean; dev?: boolean }>
    }
    // `devOptional` counts: users get what is optional.
    const scripted = Object.entries(packages).filter(
      ([path, { hasInstallScript, dev }]) => path !== '' && hasInstallScript && !dev,
    )
    expect(scripted.map(([path]) => path)).toEqual([])
    const own = ['preinstall', 'install', 'postinstall', 'prepare']
    expect(Object.keys(manifest.scripts).filter((name) => own.includes(name))).toEqual([])
  })

  it('every bundled package comes with its licence, and no licence requires more than that', () => {
    const text = readFileSync(join(root, 'dist/LICENSES.txt'), 'utf8')
    expect(bundled.length).toBeGreaterThan(10)
    expect(bundled.filter(({ name, version }) => !text.includes(`${name} ${version}\n`))).toEqual([])
    const kind =
      /^(?:MIT|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|BlueOak-1\.0\.0|Unlicense|\(MIT OR CC0-1\.0\))$/
    expect(bundled.filter(({ license }) => !kind.test(license))).toEqual([])
  })
})
