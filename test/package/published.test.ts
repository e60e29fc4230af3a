/** Checks each package that is published: its version, size, dependencies, and that tools find its files and types. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, describe, expect, it } from 'vitest'
import { version } from '../../src/client/version.ts'
import { root } from '../support/built-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'bankapi-published-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Expected {
  readonly name: string
  /** Below the root of the project. */
  readonly path: string
  /** Of the package as it is downloaded, and of its files. */
  readonly maxBytes: { readonly packed: number; readonly unpacked: number }
  readonly dependencies: readonly string[]
}

const published: readonly Expected[] = [
  {
    name: 'bankapi',
    path: '.',
    maxBytes: { packed: 3_200_000, unpacked: 11_500_000 },
    dependencies: ['@napi-rs/keyring', 'fastify', 'jq-wasm', 'string-width'],
  },
  {
    name: '@bankapi/client',
    path: 'packages/client',
    maxBytes: { packed: 100_000, unpacked: 480_000 },
    dependencies: [],
  },
  {
    name: '@bankapi/webhooks',
    path: 'packages/webhooks',
    maxBytes: { packed: 20_000, unpacked: 60_000 },
    dependencies: [],
  },
  {
    name: '@bankapi/emulator',
    path: 'packages/emulator',
    maxBytes: { packed: 800_000, unpacked: 3_300_000 },
    dependencies: ['fastify'],
  },
]

describe.each(published)('$name', ({ name, path, maxBytes, dependencies }) => {
  const pkgDir = join(root, path)
  const manifest = JSON.parse(readFileSync(join(pkgDir, 'package.json'), 'utf8'))
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: pkgDir,
      encoding: 'utf8',
    }),
  ) as [{ filename: string; size: number; unpackedSize: number; files: { path: string }[] }]

  it('has the version of the others', () => {
    expect(manifest).toMatchObject({ name, version })
  })

  it('needs the packages that it cannot do without, at the versions of the lock file', () => {
    const needed: Record<string, string> = manifest.dependencies ?? {}
    expect(Object.keys(needed)).toEqual(dependencies)
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    for (const [one, at] of Object.entries(needed)) expect(packages[`node_modules/${one}`].version).toBe(at)
  })

  it('is no larger than it has to be', () => {
    expect(packed.size).toBeLessThan(maxBytes.packed)
    expect(packed.unpackedSize).toBeLessThan(maxBytes.unpacked)
  })

  it('has its licence, a README, and nothing that is not published', () => {
    const paths = packed.files.map((file) => file.path)
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json']))
    expect(paths.filter((file) => /\.map$|(?<!\.d)\.tsx?$|^(?:src|test|scripts)\//.test(file))).toEqual([])
  })

  it('passes publint', async () => {
    const { messages } = await publint({ pkgDir, level: 'suggestion', strict: true, pack: 'npm' })
    expect(messages).toEqual([])
  })

  it('has types that every ES module resolver finds (attw)', () => {
    const attw = join(root, 'node_modules/.bin/attw')
    const args = ['--profile', 'esm-only', '--no-emoji', join(folder, packed.filename)]
    const { status, stdout } = spawnSync(attw, args, { encoding: 'utf8' })
    expect(status, stdout).toBe(0)
  })
})

it('a bundler leaves out what a program does not import', async () => {
  const { build } = await import('esbuild')
  const bundled = async (contents: string) => {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'node',
      alias: { '@bankapi/client': join(root, 'packages/client/dist/client/client.js') },
    })
    return outputFiles[0]?.contents.byteLength ?? 0
  }
  const guard = await bundled("import { isApiError } from '@bankapi/client'; console.log(isApiError)")
  const everything = await bundled("import { createApi } from '@bankapi/client'; console.log(createApi)")
  expect(guard).toBeLessThan(everything / 20)
})
