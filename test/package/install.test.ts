/**
 * Packs the package, installs it into an empty prefix and runs it from there; then checks its types in a project that
 * imports it.
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Metafile } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundledPackages } from '../../scripts/build/bundled-packages.ts'
import { root } from '../support/built-program.ts'

const run = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'bankapi-install-'))
const prefix = join(folder, 'prefix')
const home = join(folder, 'home')
const bin = join(prefix, 'bin', 'bankapi')
const env = { PATH: process.env['PATH'] ?? '', HOME: home, TZ: 'UTC' }
const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error']
let unreachable: string | undefined

beforeAll(async () => {
  mkdirSync(home)
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
    }),
  ) as [{ filename: string }]
  const tarball = join(folder, packed.filename)
  try {
    await run('npm', ['install', '--global', '--prefix', prefix, '--prefer-offline', ...quiet, tarball])
  } catch (error) {
    const { stderr } = error as { stderr: string }
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENOTCACHED|ETIMEDOUT/.test(stderr)) throw error
    unreachable = stderr
  }
}, 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('runs from an empty prefix: version, help, a command, an unknown one', async ({ skip }) => {
  skip(unreachable !== undefined, 'the registry cannot be reached')
  expect((await run(bin, ['--version'], { env })).stdout).toMatch(/^bankapi\/\d+\.\d+\.\d+ /)
  expect((await run(bin, [], { env })).stdout).toContain('USAGE')
  expect((await run(bin, ['connections', 'list', '--help'], { env })).stdout).toContain('--client')
  expect((await run(bin, ['config', 'path', '--json'], { env })).stdout).toContain(home)
  await expect(run(bin, ['nope'], { env })).rejects.toMatchObject({ code: 2 })
})

it('the SBOM has what is installed, and what is bundled, and nothing else', async ({ skip }) => {
  const { components } = JSON.parse(
    execFileSync('node', ['scripts/sbom.ts'], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }),
  ) as {
    components: { name: string; version: string; properties: { name: string; value: string }[] }[]
  }
  const isBundled = ({ properties }: (typeof components)[number]) =>
    properties.some(({ name }) => name === 'bankapi:bundled')
  const ids = components.map(({ name, version }) => `${name}@${version}`)
  const { outputs } = JSON.parse(readFileSync(join(root, 'dist/metafile.json'), 'utf8')) as Metafile
  const bundled = (await bundledPackages(root, outputs)).map(({ name, version }) => `${name}@${version}`)
  expect(bundled.filter((id) => !ids.includes(id))).toEqual([])
  expect(
    components.filter(isBundled).filter(({ name, version }) => !bundled.includes(`${name}@${version}`)),
  ).toEqual([])

  skip(unreachable !== undefined, 'the registry cannot be reached')
  // Names: a range may lead to a newer version tomorrow.
  const ls = ['ls', '--global', '--prefix', prefix, '--all', '--parseable']
  const listing = execFileSync('npm', ls, { encoding: 'utf8' })
  const installed = listing
    .split('\n')
    .flatMap((path) => /(?<=node_modules\/)(?:@[^/]+\/)?[^/]+$/.exec(path)?.[0] ?? [])
  const listed = components.filter((component) => !isBundled(component)).map(({ name }) => name)
  expect([...new Set(listed)].sort()).toEqual(
    [...new Set(installed)].filter((name) => name !== 'bankapi').sort(),
  )
})

it('the emulator, jq, CSV, YAML and PDF work as they are installed', async ({ skip }) => {
  skip(unreachable !== undefined, 'the registry cannot be reached')
  const { startEmulator } = (await import(
    join(prefix, 'lib/node_modules/bankapi/dist/emulator.js')
  )) as typeof import('../../src/emulator.ts')
  const emulator = await startEmulator()
  const more = { ...env, BANKAPI_BASE_URL: emulator.baseUrl, BANKAPI_API_KEY: emulator.apiKey }
  const clients = async (...args: string[]) =>
    (await run(bin, ['clients', 'list', ...args], { env: more })).stdout
  try {
    expect(await clients('--jq', '.data[0].id')).toBe('cli_demo\n')
    expect(await clients('-o', 'csv')).toContain('cli_demo,')
    expect(await clients('-o', 'yaml')).toContain('id: cli_demo')
    expect(await clients()).toContain('cli_demo')
    const list = ['statements', 'list', 'acc_FDE_12301', '--client', 'cli_demo', '--limit', '1']
    const id = (await run(bin, [...list, '--jq', '.data[].id'], { env: more })).stdout.trim()
    const download = ['statements', 'download', id, '--client', 'cli_demo', '-O', '-']
    const { stdout } = await run(bin, download, { env: more, encoding: 'latin1' })
    expect(stdout).toMatch(/^%PDF-[\s\S]*%%EOF\s*$/)
  } finally {
    await emulator.stop()
  }
})

it.each([
  ['nodenext', 'nodenext'],
  ['preserve', 'bundler'],
])('its types are found with module %s', async (module, moduleResolution) => {
  const project = join(folder, module)
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  symlinkSync(root, join(project, 'node_modules', 'bankapi'))
  symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules', '@types'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(
    join(project, 'index.ts'),
    `import { createApi, type Transaction } from 'bankapi'
import { startEmulator } from 'bankapi/emulator'
import { verifyWebhook } from 'bankapi/webhooks'
const emulator = await startEmulator({ seed: 2 })
export const baseUrl: string = emulator.baseUrl
await emulator.advance('24h')
// @ts-expect-error a duration is text
await emulator.advance(24)
const api = createApi(emulator)
export const first: Transaction | undefined = (
  await api.transactions.list({ client_id: 'cli_demo', account_id: 'acc_FDE_12301' })
).data[0]
await emulator.stop()
const body = new Uint8Array()
export const { verified }: { verified: boolean } = await verifyWebhook({ secrets: ['s'], headers: {}, body })
`,
  )
  const options = { module, moduleResolution, target: 'es2024', lib: ['esnext', 'dom'], types: ['node'] }
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, strict: true, noEmit: true }, files: ['index.ts'] }),
  )
  const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', project]).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})
