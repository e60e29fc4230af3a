/** The executable of this machine, made once and run where PATH has no program at all: no `node` and no shell. */
import { execFile, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { hostTarget } from '../../scripts/executable/targets.ts'
import { root } from '../support/built-program.ts'
import { createHome, type Home } from '../support/cli.ts'
import { temporaryFolder } from '../support/machine.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'
import { startSecretService, whyNoSecretService } from '../support/secret-service.ts'
import { deliver, eventBody, signedHeaders } from '../support/test-listener.ts'
import { until } from '../support/until.ts'
import { openPty } from '../tui/pty-screen.ts'

const target = hostTarget()
const noKeychain = whyNoSecretService()
const noPostgres = whyNoPostgres()

const skipped = process.platform === 'linux' && target !== undefined ? '' : ' is not run: Linux is'
const title = `the executable of ${process.platform}-${process.arch}${skipped}`

describe.skipIf(skipped !== '')(title, { tags: ['slow', 'postgres'] }, () => {
  let made: string
  let executable: string
  let emulator: Home

  /** A home whose commands run the executable. */
  function executableHome(env: Record<string, string> = {}, keep = false): Home {
    return createHome({ env: { PATH: join(made, 'no-such-folder'), ...env }, program: [executable], keep })
  }

  /** The same folders as the emulator's, so that `--env local` finds it. */
  const withEmulator = (): Home =>
    executableHome({ ...emulator.env, BANKAPI_CLIENT_ID: 'cli_demo' } as Record<string, string>)

  const sandbox = () =>
    emulator.json<{ api_key: string; base_url: string }>(['emulator', 'status', '--jq', '.sandbox'])

  beforeAll(async () => {
    made = mkdtempSync(join(tmpdir(), 'bankapi-executables-'))
    const script = join(root, 'scripts/executable.ts')
    const to = join(made, 'executables')
    await promisify(execFile)(process.execPath, [script, '--uncompressed', '--to', to])
    executable = join(to, target?.file ?? '')
    emulator = executableHome({ BANKAPI_ENV: 'local' }, true)
    const ready = emulator.start([
      'emulator',
      'start',
      '--memory',
      '--json',
      '--port',
      '0',
      '--live-port',
      '0',
    ])
    await ready.line()
    return async () => {
      await emulator.remove()
      rmSync(made, { recursive: true, force: true })
    }
  }, 300_000)

  test('beside it are its checksum, its parts, and the licences of all of them', () => {
    const folder = join(made, 'executables')
    const sums = readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
    expect(sums.map((line) => line.split('  ')[1])).toEqual(
      readdirSync(folder)
        .filter((name) => name !== 'SHA256SUMS')
        .sort(),
    )
    const hash = createHash('sha256').update(readFileSync(executable)).digest('hex')
    expect(sums).toContain(`${hash}  ${target?.file}`)

    const parts = JSON.parse(readFileSync(`${executable}.cdx.json`, 'utf8'))
    const names = parts.components.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['undici', 'fastify', target?.keyring, target?.node.name]))
    const licenses = readFileSync(join(folder, 'LICENSES.txt'), 'utf8')
    for (const name of ['Node.js is licensed', '\nundici 8', '\nfastify 5', '\nbankapi\n']) {
      expect(`\n${licenses}`).toContain(name)
    }
  })

  test('the demo of README.md', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(root, 'scripts/demo.ts'), '--executable', executable],
      { env: { PATH: join(made, 'no-such-folder') } },
    )
    expect(stdout).toContain('webhooks verified and forwarded, nothing left behind.')
  })

  test('arguments are its own, also those that Node has', async () => {
    const home = executableHome()
    expect(await home.run(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('bankapi/'),
    })
    expect(await home.run(['-e', '1'])).toMatchObject({ code: 2 })
    expect((await home.run(['connections', 'list', '--help'])).stdout).toContain('$ bankapi connections list')
  })

  test('doctor --updates names no npm, with which it was not installed', async () => {
    const registry = createServer((_request, response) => response.end('{"version":"9.0.0"}'))
    await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void registry.close())
    const NPM_CONFIG_REGISTRY = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
    const { stdout } = await withEmulator().run(['doctor', '--updates'], { env: { NPM_CONFIG_REGISTRY } })
    expect(stdout).toMatch(/! updates .*9\.0\.0 is out.*\n.*Download it/)
    expect(stdout).not.toContain('npm install')
  })

  test('--jq, yaml, wide characters, and a statement with its fonts', async () => {
    const home = withEmulator()
    expect((await home.run(['clients', 'list', '--jq', '.data[0].name'])).stdout).toBe('Zoë Núñez\n')
    expect((await home.run(['clients', 'list', '-o', 'yaml'])).stdout).toContain('id: cli_demo')
    await home.json(['clients', 'create', '--name', '株式会社 🏦', '--external-id', 'wide'])
    expect((await home.run(['clients', 'list', '-o', 'csv'])).stdout).toContain('株式会社 🏦')
    const list = ['statements', 'list', 'acc_FDE_12301', '--limit', '1']
    const { data } = await home.json<{ data: { id: string }[] }>(list)
    const pdf = join(home.folder, 'statement.pdf')
    await home.run(['statements', 'download', data[0]?.id ?? '', '-O', pdf])
    expect(readFileSync(pdf, 'latin1')).toMatch(/^%PDF-[\s\S]*%%EOF\s*$/)
  })

  test('sync, and a query in a process of its own', async () => {
    const home = withEmulator()
    const to = join(home.folder, 'mirror.sqlite')
    expect((await home.run(['sync', '--to', to])).code).toBe(0)
    const count = ['sync', 'query', 'SELECT count(*) > 1000 AS many FROM transactions', '--to', to]
    expect(await home.json(count)).toMatchObject({ data: [{ many: 1 }] })
  })

  test.skipIf(noPostgres !== undefined)(
    `sync worker on Postgres${noPostgres ? `: ${noPostgres}` : ''}`,
    async () => {
      const to = await (await postgresServer()).database()
      const { code, stderr } = await withEmulator().run(['sync', 'worker', '--to', to, '--once'])
      expect(code, stderr).toBe(0)
    },
  )

  test('a listener explains on its thread why a delivery does not verify', async () => {
    const home = executableHome({ BANKAPI_WEBHOOK_SECRET: 'whsec_ours', BANKAPI_ENV: 'local' })
    const listener = home.start(['webhooks', 'listen', '--port', '0', '--json'])
    const { url } = JSON.parse(await listener.line()) as { url: string }
    const body = eventBody('evt_1', 'connection.active')
    await deliver(url, body, await signedHeaders(body, { key: 'ours' }))
    await until(async () => {
      const { data } = await home.json<{ data: { detail: string | null }[] }>([
        'webhooks',
        'events',
        '--failed',
      ])
      return data[0]?.detail?.includes('whsec_')
    }, 'the explanation')
  })

  test('emulator start --detach goes on by itself until it is stopped', async () => {
    const home = executableHome({ BANKAPI_ENV: 'local' })
    onTestFinished(async () => void (await home.run(['emulator', 'stop'])))
    const start = ['emulator', 'start', '--detach', '--memory', '--port', '0', '--live-port', '0']
    const started = await home.run(start)
    expect(started.code, started.stderr).toBe(0)
    expect((await home.run(['clients', 'list', '--jq', '.data[0].id'])).stdout).toBe('cli_demo\n')
    expect(await home.run(['emulator', 'stop'])).toMatchObject({ code: 0 })
    expect((await home.run(['clients', 'list'])).code).not.toBe(0)
  })

  test('a tool of the connector, which the emulator carries out', async () => {
    const { base_url, api_key } = await sandbox()
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_institutions' } }
    const answer = await fetch(new URL('/mcp', base_url), {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api_key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(call),
    })
    expect(await answer.text()).toContain('Alder Bank')
  })

  test('the TUI draws its screen, and q leaves it', async () => {
    const screen = openPty({
      command: executable,
      args: ['tui', '--no-listen'],
      env: { ...withEmulator().env, TERM: 'xterm-256color' },
      columns: 120,
      lines: 30,
    })
    onTestFinished(() => screen.kill('SIGKILL'))
    await screen.until((text) => text.includes('╭─ Operations'), 'the screen')
    screen.type('q')
    expect((await screen.exited).exitCode).toBe(0)
    expect(screen.isAlternate()).toBe(false)
  })

  test.skipIf(noKeychain !== undefined)(
    `a key goes to the keychain and comes from it${noKeychain ? `: ${noKeychain}` : ''}`,
    async () => {
      const service = await startSecretService()
      onTestFinished(() => service.stop())
      const { api_key: key, base_url } = await sandbox()
      const TMPDIR = temporaryFolder()
      const home = executableHome({
        ...service.env,
        PATH: join(made, 'no-such-folder'),
        BANKAPI_BASE_URL: base_url,
        TMPDIR,
      })
      const login = ['login', '--env', 'sandbox', '--key-stdin', '--json']
      const { code, stdout, stderr } = await home.run(login, { input: `${key}\n` })
      expect(code, stderr).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({ stored_in: 'keychain', checked: true })
      expect((await service.secretTool(['search', 'service', 'bankapi'])).text).toContain(key)
      expect(await home.json(['whoami'])).toMatchObject({ key_source: 'keychain', accepted: true })
      expect(readdirSync(TMPDIR), 'no native code is left behind').toEqual([])
    },
  )

  test('what it lists on the page of help is what an installed bankapi lists', () => {
    const installed = spawnSync(process.execPath, [join(root, 'bin/run.js'), '--help'], { encoding: 'utf8' })
    const own = spawnSync(executable, ['--help'], { encoding: 'utf8' })
    const withoutVersion = (text: string) => text.replace(/node-v\S+/, '')
    expect(withoutVersion(own.stdout)).toBe(withoutVersion(installed.stdout))
    expect(existsSync(executable) && statSync(executable).mode & 0o777).toBe(0o755)
  })
})
