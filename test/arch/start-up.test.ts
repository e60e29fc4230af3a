/**
 * Limits the cost of a start without a clock: what is loaded and evaluated before a command does its work. `npm run bench
 * startup` measures it in milliseconds.
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

/** All modules that a module imports statically, directly or not; of a package, only those that our modules import. */
function closureOf(module: string, found = new Set<string>()): Set<string> {
  found.add(module)
  for (const { path, kind } of inputs[module]?.imports ?? []) {
    if (kind === 'import-statement' && !found.has(path)) closureOf(path, found)
  }
  return found
}

const commands = Object.keys(inputs).filter((file) => file.startsWith('src/commands/') && !/\/_/.test(file))

/** Packages that only `import()` may load, where they are needed. */
const heavy = [
  ...['ink', 'react', 'react-reconciler', 'yoga-layout', 'fastify', 'pdfkit', '@napi-rs/keyring', 'jq-wasm'],
  ...['chalk', 'csv-stringify', 'yaml', 'undici', '@inquirer/prompts', 'string-width', 'pg'],
]

describe('the static imports of a command', () => {
  it('are read for every command', () => {
    expect(commands.length).toBeGreaterThan(60)
  })

  it.each(commands)('%s: no heavy package', (command) => {
    const names = [...closureOf(command)].map((path) => packageOf(path) ?? path)
    expect(names).toContain('@oclif/core')
    expect(names.filter((name) => heavy.includes(name) || name === 'node:sqlite')).toEqual([])
  })
})

describe('the built files', () => {
  it('main.cjs, which shows help and finds the command, has at most 10 KB and no package', () => {
    const main = outputs['dist/main.cjs']
    expect(main?.bytes).toBeLessThanOrEqual(10_000)
    expect(Object.keys(main?.inputs ?? {}).filter((path) => packageOf(path) !== undefined)).toEqual([])
  })

  it('the bundle of every command, which each start reads, has at most 1.85 MB', () => {
    expect(outputs[`dist/${bundle}`]?.bytes).toBeLessThanOrEqual(1_850_000)
  })

  it.each(['emulator-start.cjs', 'emulator.js'])('%s loads pdfkit when a statement is drawn', (file) => {
    const { inputs: parts = {}, imports = [] } = outputs[`dist/${file}`] ?? {}
    expect(Object.keys(parts).filter((path) => packageOf(path) === 'pdfkit')).toEqual([])
    const drawing = imports.filter(({ path }) => path === './statement-pdf.cjs')
    expect(drawing.map(({ kind }) => kind)).toEqual(['dynamic-import'])
    const drawn = Object.keys(outputs['dist/statement-pdf.cjs']?.inputs ?? {})
    expect(drawn.map(packageOf)).toContain('pdfkit')
  })

  it.each(['emulator-start.cjs', 'emulator.js'])(
    '%s loads the SDK of MCP with the first request to the connector',
    (file) => {
      const { inputs: parts = {}, imports = [] } = outputs[`dist/${file}`] ?? {}
      expect(
        Object.keys(parts).filter((path) => packageOf(path)?.startsWith('@modelcontextprotocol/')),
      ).toEqual([])
      const loading = imports.filter(({ path }) => path === './mcp-sdk.cjs')
      expect(loading.map(({ kind }) => kind)).toEqual(['dynamic-import'])
      const loaded = Object.keys(outputs['dist/mcp-sdk.cjs']?.inputs ?? {})
      expect(loaded.map(packageOf)).toContain('@modelcontextprotocol/server')
    },
  )
})

/** Runs with a service whose answers are all empty. */
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

interface Coverage {
  readonly url: string
  readonly functions: readonly { functionName: string; ranges: readonly { count: number }[] }[]
}

/** V8's coverage of a run: the files that it loaded, and their functions. */
async function coverageOf(args: readonly string[], env: Record<string, string>): Promise<Coverage[]> {
  const home = createHome({ keep: true, env: { NODE_DISABLE_COMPILE_CACHE: '1', ...env } })
  const folder = join(home.folder, 'coverage')
  expect((await home.run(args, { env: { NODE_V8_COVERAGE: folder } })).code).toBe(0)
  const [file = ''] = await readdir(folder)
  const { result } = JSON.parse(await readFile(join(folder, file), 'utf8')) as { result: Coverage[] }
  await home.remove()
  return result
}

/** The modules of the bundle that a run evaluates: esbuild names the function of each by its path. */
async function evaluatedBy(args: readonly string[], env: Record<string, string>): Promise<string[]> {
  const { functions = [] } = (await coverageOf(args, env)).find(({ url }) => url.endsWith(bundle)) ?? {}
  return functions
    .filter(({ functionName, ranges }) => /^(?:src|node_modules)\//.test(functionName) && ranges[0]?.count)
    .map(({ functionName }) => functionName)
}

describe('a command evaluates', () => {
  let list: string[]
  let get: string[]
  beforeAll(async () => {
    await withService(async (env) => {
      list = await evaluatedBy(['clients', 'list', '--json'], env)
      get = await evaluatedBy(['connections', 'get', 'con_FDE_1', '--json'], env)
    })
  })

  it('itself and what a request needs, and no other command', () => {
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

  it('neither the plugins and help of oclif nor the HTTP/2 and fetch of undici', () => {
    const unwanted = /@oclif\/core\/lib\/(?:config|help|main)\b|undici\/lib\/(?:dispatcher\/client-h2|web\/)/
    expect(list.filter((path) => unwanted.test(path))).toEqual([])
    const packages = new Set(list.map(packageOf))
    expect(['ejs', 'minimatch', 'tinyglobby', 'semver'].filter((name) => packages.has(name))).toEqual([])
  })

  it('at most 190 modules', () => {
    expect(list.length).toBeLessThanOrEqual(190)
  })

  it('only its own area of the contract: JSON output needs no columns', () => {
    expect(list).not.toContain('src/contract/contract.ts')
    expect(get).toContain('src/contract/connections.ts')
    expect(get).not.toContain('src/contract/contract.ts')
  })
})

/** Node's own modules that a run of the built command loads, other than those of an empty program. */
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

describe('Node modules', () => {
  it('help loads next to nothing', async () => {
    const unwanted = /^(?:crypto|https?2?|net|tls|child_process|worker_threads|sqlite|zlib)$/
    expect((await nodeModulesOf(['--help'])).filter((name) => unwanted.test(name))).toEqual([])
  })

  it('a list from a service loads no crypto, TLS, child processes or SQLite', async () => {
    const loaded = await withService((env) => nodeModulesOf(['clients', 'list', '--json'], env))
    expect(loaded).toContain('http')
    // zlib has the checksum of the bytecode.
    const unwanted = /^(?:crypto|http2|https|tls|child_process|worker_threads|sqlite|readline)$/
    expect(loaded.filter((name) => unwanted.test(name))).toEqual([])
  })
})

describe('chalk', () => {
  it('is loaded when there are colours, and not in a pipe', async () => {
    const loadsIt = async (env: Record<string, string>) =>
      (await coverageOf(['config', 'list'], env)).some(({ url }) => url.endsWith('/dist/chalk.cjs'))
    expect(await loadsIt({})).toBe(false)
    expect(await loadsIt({ FORCE_COLOR: '1' })).toBe(true)
  })
})

describe('the program that a command sees', () => {
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
