/**
 * What a start costs, as a budget that needs no clock: what is loaded and evaluated before a command does its work.
 * `npm run bench startup` measures what it is in milliseconds.
 */
import { spawnSync } from 'node:child_process'
import { glob, readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { root } from '../support/built-program.ts'
import { createHome } from '../support/cli.ts'

const read = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'))
const { inputs, outputs } = (await read('dist/metafile.json')) as Metafile
const { bundle } = await read('dist/program.json')

const packageOf = (path: string): string | undefined =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1]

/** The modules that one imports statically, and so on; of a package, the modules that ours import. */
function closureOf(module: string, found = new Set<string>()): Set<string> {
  found.add(module)
  for (const { path, kind } of inputs[module]?.imports ?? []) {
    if (kind === 'import-statement' && !found.has(path)) closureOf(path, found)
  }
  return found
}

const commands = Object.keys(inputs).filter((file) => file.startsWith('src/commands/') && !/\/_/.test(file))

/** Loaded where they are needed, never because a command might need them. */
const heavy = [
  ...['ink', 'react', 'react-reconciler', 'yoga-layout', 'fastify', 'pdfkit', '@napi-rs/keyring', 'jq-wasm'],
  ...['chalk', 'csv-stringify', 'yaml', 'undici', '@inquirer/prompts', 'string-width'],
]

describe('what the static imports of a command bring in', () => {
  it('there are commands to look at', () => {
    expect(commands.length).toBeGreaterThan(60)
  })

  it.each(commands)('%s: nothing heavy', (command) => {
    const names = [...closureOf(command)].map((path) => packageOf(path) ?? path)
    expect(names).toContain('@oclif/core')
    expect(names.filter((name) => heavy.includes(name) || name === 'node:sqlite')).toEqual([])
  })
})

describe('the files of the program', () => {
  it('help and the way to a command: one file of at most 10 KB, without a package', () => {
    const main = outputs['dist/main.cjs']
    expect(main?.bytes).toBeLessThanOrEqual(10_000)
    expect(Object.keys(main?.inputs ?? {}).filter((path) => packageOf(path) !== undefined)).toEqual([])
  })

  it('every command: one file of at most 1.65 MB, as each start reads it', () => {
    expect(outputs[`dist/${bundle}`]?.bytes).toBeLessThanOrEqual(1_650_000)
  })
})

/** A service whose every answer is empty. */
async function withService<T>(use: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const server = createServer((_, response) => {
    response
      .setHeader('content-type', 'application/json')
      .end('{"data":[],"has_more":false,"next_cursor":null}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    return await use({
      BANKAPI_BASE_URL: `http://127.0.0.1:${port}/v3`,
      BANKAPI_API_KEY: 'sk_test_1',
    })
  } finally {
    server.close()
  }
}

/** The modules of the bundle that a run evaluates, from V8's coverage: esbuild names each one's function by its path. */
async function evaluatedBy(args: readonly string[], env: Record<string, string>): Promise<string[]> {
  const home = createHome({ keep: true, env: { NODE_DISABLE_COMPILE_CACHE: '1', ...env } })
  const folder = join(home.folder, 'coverage')
  expect((await home.run(args, { env: { NODE_V8_COVERAGE: folder } })).code).toBe(0)
  const [file = ''] = await readdir(folder)
  const { result } = JSON.parse(await readFile(join(folder, file), 'utf8')) as {
    result: { url: string; functions: { functionName: string; ranges: { count: number }[] }[] }[]
  }
  await home.remove()
  const { functions = [] } = result.find(({ url }) => url.endsWith(bundle)) ?? {}
  return functions
    .filter(({ functionName, ranges }) => /^(?:src|node_modules)\//.test(functionName) && ranges[0]?.count)
    .map(({ functionName }) => functionName)
}

describe('what a command evaluates', () => {
  let list: string[]
  let get: string[]
  beforeAll(async () => {
    await withService(async (env) => {
      list = await evaluatedBy(['clients', 'list', '--json'], env)
      get = await evaluatedBy(['connections', 'get', 'con_FDE_1', '--json'], env)
    })
  })

  it('itself, and what a request needs', () => {
    expect(list).toEqual(
      expect.arrayContaining([
        'src/commands/clients/list.ts',
        'src/contract/clients.ts',
        'node_modules/@oclif/core/lib/parser/parse.js',
        'node_modules/undici/lib/dispatcher/pool.js',
      ]),
    )
    expect(list.filter((path) => path.startsWith('src/commands/'))).toHaveLength(1)
  })

  it('of oclif neither plugins nor help, of undici neither HTTP/2 nor fetch', () => {
    const unwanted = /@oclif\/core\/lib\/(?:config|help|main)\b|undici\/lib\/(?:dispatcher\/client-h2|web\/)/
    expect(list.filter((path) => unwanted.test(path))).toEqual([])
    const packages = new Set(list.map(packageOf))
    expect(['ejs', 'minimatch', 'tinyglobby', 'semver'].filter((name) => packages.has(name))).toEqual([])
  })

  it('at most 190 modules', () => {
    expect(list.length).toBeLessThanOrEqual(190)
  })

  it('of the contract its own area: as JSON, nobody asked which columns there are', () => {
    expect(list).not.toContain('src/contract/contract.ts')
    expect(get).toContain('src/contract/connections.ts')
    expect(get).not.toContain('src/contract/contract.ts')
  })
})

/** The modules of Node itself that a run of the built command loads, beyond those of an empty program. */
async function nodeModulesOf(args: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const script = "process.on('exit', () => process.stderr.write(process.moduleLoadList.join('\\n')))"
  const preload = `data:text/javascript,${encodeURIComponent(script)}`
  const home = createHome({ env: { NODE_OPTIONS: `--import=${preload}`, ...env } })
  const loaded = (text: string) => new Set(text.match(/(?<=NativeModule ).+/g))
  const empty = spawnSync(process.execPath, ['-e', '0'], { env: home.env, encoding: 'utf8' })
  const { code, stderr } = await home.run(args)
  expect([code, stderr]).toEqual([0, expect.stringContaining('NativeModule')])
  return [...loaded(stderr).difference(loaded(empty.stderr))].filter((name) => !name.startsWith('internal/'))
}

describe('what of Node is loaded', () => {
  it('for help: next to nothing', async () => {
    const unwanted = /^(?:crypto|https?2?|net|tls|child_process|worker_threads|sqlite|zlib)$/
    expect((await nodeModulesOf(['--help'])).filter((name) => unwanted.test(name))).toEqual([])
  })

  it('for a list from a service: no crypto, no TLS, no other process, no SQLite', async () => {
    const loaded = await withService((env) => nodeModulesOf(['clients', 'list', '--json'], env))
    expect(loaded).toContain('http')
    // zlib has the checksum of the bytecode.
    const unwanted = /^(?:crypto|http2|https|tls|child_process|worker_threads|sqlite|readline)$/
    expect(loaded.filter((name) => unwanted.test(name))).toEqual([])
  })
})

describe('chalk', () => {
  const isChalk = (path: string) => packageOf(path) === 'chalk'

  it('is evaluated where there are colours, and not in a pipe', async () => {
    expect((await evaluatedBy(['config', 'list'], {})).filter(isChalk)).toEqual([])
    expect((await evaluatedBy(['config', 'list'], { FORCE_COLOR: '1' })).filter(isChalk)).not.toEqual([])
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
