/**
 * What a start costs, as a budget that needs no clock: what is loaded before a command runs, from what the build wrote
 * down about its files. `npm run bench startup` measures what it is in milliseconds.
 */
import { spawnSync } from 'node:child_process'
import { glob, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { root } from '../support/built-program.ts'
import { createHome } from '../support/cli.ts'

const outputs = JSON.parse(await readFile(join(root, 'dist/outputs.json'), 'utf8')) as Metafile['outputs']

interface Closure {
  /** The files that Node loads for the entry, and their size in bytes. */
  readonly files: readonly string[]
  readonly bytes: number
  /** The packages whose code is in them, or that they import. */
  readonly packages: readonly string[]
}

/** What an entry imports statically, and so on. */
function closureOf(entry: string): Closure {
  const files = new Set<string>()
  const packages = new Set<string>()
  const add = (file: string): void => {
    const output = outputs[file]
    if (output === undefined) throw new Error(`${file} is not in dist/outputs.json: npm run build`)
    files.add(file)
    for (const source of Object.keys(output.inputs)) {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(source)?.[1]
      if (name !== undefined) packages.add(name)
    }
    for (const { path, kind, external } of output.imports) {
      if (kind !== 'import-statement') continue
      if (external) packages.add(path)
      else if (!files.has(path)) add(path)
    }
  }
  add(entry)
  const bytes = [...files].reduce((sum, file) => sum + (outputs[file]?.bytes ?? 0), 0)
  return { files: [...files], bytes, packages: [...packages] }
}

const commands = Object.keys(outputs).filter((file) => /^dist\/commands\/.*\.js$/.test(file))

/** Loaded where they are needed, never because a command might need them. */
const heavy = [
  ...['ink', 'react', 'react-reconciler', 'yoga-layout', 'fastify', 'pdfkit', '@napi-rs/keyring', 'jq-wasm'],
  ...['chalk', 'csv-stringify', 'yaml', 'undici', '@inquirer/prompts', 'string-width', 'ejs', 'tinyglobby'],
]

describe('what is loaded before a command runs', () => {
  it('there are commands to look at', () => {
    expect(commands.length).toBeGreaterThan(60)
  })

  it.each(commands)('%s loads nothing heavy', (command) => {
    const { packages } = closureOf(command)
    expect(packages.filter((name) => heavy.includes(name) || name === 'node:sqlite')).toEqual([])
  })

  it('a plain command: at most 410 KB in 6 files', () => {
    const { bytes, files } = closureOf('dist/commands/clients/list.js')
    expect(Math.round(bytes / 1000)).toBeLessThanOrEqual(410)
    expect(files.length).toBeLessThanOrEqual(6)
  })

  it('any command: at most 500 KB in 40 files', () => {
    const sizes = commands.map((command) => ({ command, ...closureOf(command) }))
    const over = sizes.filter(({ bytes, files }) => bytes > 500_000 || files.length > 40)
    expect(over.map(({ command, bytes, files }) => [command, bytes, files.length])).toEqual([])
  })

  it('help and the way to a command: one file of at most 10 KB, without a package', () => {
    const { bytes, files, packages } = closureOf('dist/cli/main.js')
    expect(files).toEqual(['dist/cli/main.js'])
    expect(bytes).toBeLessThanOrEqual(10_000)
    expect(packages).toEqual([])
  })
})

/** The modules of Node itself that a run of the built command loads, beyond those of an empty program. */
async function nodeModulesOf(args: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const script = "process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')))"
  const list = `data:text/javascript,${encodeURIComponent(script)}`
  const home = createHome({ env: { NODE_OPTIONS: `--import=${list}`, ...env } })
  const loaded = (text: string) => new Set(text.match(/(?<=NativeModule ).+/g))
  const empty = spawnSync(process.execPath, ['-e', '0'], { env: home.env, encoding: 'utf8' })
  const { code, stderr } = await home.run(args)
  expect([code, stderr]).toEqual([0, expect.stringContaining('NativeModule')])
  return [...loaded(stderr).difference(loaded(empty.stderr))].filter((name) => !name.startsWith('internal/'))
}

describe('what of Node is loaded', () => {
  it('for help: next to nothing', async () => {
    expect(await nodeModulesOf(['--help'])).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(crypto|http2?|tls|child_process|worker_threads|sqlite|zlib)$/),
      ]),
    )
  })

  it('for a list from a service: no crypto, no HTTP of its own, no TLS, no SQLite', async () => {
    const server = createServer((_, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end('{"data":[],"has_more":false,"next_cursor":null}')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    try {
      const loaded = await nodeModulesOf(['clients', 'list', '--json'], {
        BANKAPI_BASE_URL: `http://127.0.0.1:${port}/v3`,
        BANKAPI_API_KEY: 'sk_test_1',
      })
      const unwanted = /^(assert|crypto|http2?|tls|child_process|worker_threads|sqlite|zlib|readline)$/
      expect(loaded.filter((name) => unwanted.test(name))).toEqual([])
    } finally {
      server.close()
    }
  })
})

/** The files of the build that hold chalk and no command: what a run that colours nothing must not load. */
const chalkFiles = Object.entries(outputs)
  .filter(([, { inputs }]) => Object.keys(inputs).some((source) => source.startsWith('node_modules/chalk/')))
  .map(([file]) => file)

/** The files of dist/ that a run of the built command loads. */
async function filesLoadedBy(args: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) { process.stderr.write('loads ' + url + '\\n'); return next(url, context) } })`
  const list = `data:text/javascript,${encodeURIComponent(script)}`
  const home = createHome({ env: { NODE_OPTIONS: `--import=${list}`, ...env } })
  const { stderr } = await home.run(args)
  const dist = new URL('dist/', pathToFileURL(`${root}/`)).href
  const urls = stderr.match(/(?<=^loads ).+/gm) ?? []
  return urls.filter((url) => url.startsWith(dist)).map((url) => `dist/${url.slice(dist.length)}`)
}

describe('chalk', () => {
  const runs: readonly (readonly string[])[] = [['config', 'list'], ['accounts', 'list'], ['--help']]

  it('stands in files of its own', () => {
    expect(chalkFiles).not.toEqual([])
  })

  it.each(runs)('a run into a pipe does not load it: %s %s', async (...args) => {
    const loaded = await filesLoadedBy(args)
    expect(loaded).toContain('dist/cli/main.js')
    expect(loaded.filter((file) => chalkFiles.includes(file))).toEqual([])
  })

  it('a run with colours does', async () => {
    const loaded = await filesLoadedBy(['config', 'list'], { FORCE_COLOR: '1' })
    expect(loaded.some((file) => chalkFiles.includes(file))).toBe(true)
  })
})

describe('what a command knows of the program', () => {
  it("is Program (cli/program.ts), not the whole of oclif's Config", async () => {
    const known = ['bin', 'commands', 'name', 'root', 'runHook', 'topics', 'userAgent', 'version']
    const uses = new Set<string>()
    for await (const file of glob('src/{cli,commands}/**/*.ts', { cwd: root })) {
      const text = await readFile(join(root, file), 'utf8')
      for (const [, name = ''] of text.matchAll(/\bthis\.config\.(\w+)/g)) uses.add(name)
    }
    expect([...uses].filter((name) => !known.includes(name))).toEqual([])
  })
})
