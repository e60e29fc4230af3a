/**
 * The images of the Dockerfile and the example of compose.yaml, without a container engine: the Dockerfile's own commands run
 * in a clean folder, then what it starts. docs/container.md says what was run in real containers.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { validate } from 'dockerfile-utils'
import { afterAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { passwordInFile } from '../../src/postgres/password-file.ts'
import { root } from '../support/built-program.ts'
import { createHome } from '../support/cli.ts'
import { emulatorHome } from '../support/emulator-process.ts'
import { freePort } from '../support/free-port.ts'
import { environmentOf, runDockerfile } from '../support/image-commands.ts'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
const onLinux = process.platform === 'linux'
const folder = mkdtempSync(join(tmpdir(), 'bankapi-image-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ignored = read('.dockerignore')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

/** Whether the build context has a path: the last line of .dockerignore that fits it, or a folder that it is in, decides. */
function inContext(path: string): boolean {
  const last = ignored.findLast((line) => {
    const pattern = line
      .replace(/^!/, '')
      .replaceAll('.', '\\.')
      .replaceAll(/\*\*\/|\*/g, (stars) => (stars === '*' ? '[^/]*' : '(?:.*/)?'))
    return new RegExp(`^${pattern}(?:/|$)`).test(path)
  })
  return last?.startsWith('!') ?? true
}

describe('the Dockerfile', () => {
  it('has no mistake, and the Node that everything is tested with', () => {
    expect(validate(read('Dockerfile')).map(({ message }) => message)).toEqual([])
    expect(validate(read('Dockerfile').replace('--interval=5s', '--interval=5'))).toHaveLength(1)
    expect(read('Dockerfile')).toContain(
      `ARG NODE=docker.io/library/node:${devDependencies['node']}-bookworm-slim`,
    )
  })

  it('gets every source of the build, and nothing that could be a secret', () => {
    const sources = Object.keys(JSON.parse(read('dist/sources.json')) as Record<string, string>)
    expect(sources.length).toBeGreaterThan(100)
    expect(sources.filter((file) => !inContext(file))).toEqual([])
    for (const file of [
      '.env',
      'src/.env',
      '.git/config',
      '.npmrc',
      'examples/compose/secrets/pgpass',
      'node_modules/x',
      'a.pem',
    ]) {
      expect(inContext(file), file).toBe(false)
    }
  })

  it.skipIf(!onLinux)(
    'its commands make an image whose emulator starts, is healthy, writes to /data and /tmp only, and ends at SIGTERM',
    async () => {
      const stages = runDockerfile(read('Dockerfile'), {
        folder,
        context(from, to) {
          const filter = (path: string) => relative(root, path) === '' || inContext(relative(root, path))
          cpSync(join(root, from), from === '.' ? to : join(to, from), { recursive: true, filter })
        },
        instead: {
          'npm ci --no-audit --no-fund'(stage) {
            symlinkSync(join(root, 'node_modules'), join(stage.root, stage.workdir, 'node_modules'))
            return 'true'
          },
          'npm pack --pack-destination /tmp'(stage) {
            cpSync(join(root, 'dist'), join(stage.root, stage.workdir, 'dist'), { recursive: true })
            return `npm pack --ignore-scripts --loglevel error --pack-destination ${stage.root}/tmp`
          },
        },
      })
      const image = stages.get('emulator')
      if (image === undefined) throw new Error('there is no stage emulator')
      const { ENTRYPOINT = [], CMD = [], HEALTHCHECK = [] } = image.argv
      const options = { cwd: join(image.root, image.workdir), env: environmentOf(image) }
      const isHealthy = () => {
        const [program = '', ...args] = HEALTHCHECK
        return spawnSync(program, args, { ...options, encoding: 'utf8' })
      }
      const before = writtenFiles(image.root)
      expect(isHealthy().status).not.toBe(0)

      const [program = '', ...args] = [...ENTRYPOINT, ...CMD, '--port', '0', '--live-port', '0']
      const emulator = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
      const ended = new Promise((done) => emulator.once('exit', done))
      for await (const line of createInterface(emulator.stdout)) if (line.startsWith('Ready')) break
      expect(isHealthy()).toMatchObject({ status: 0, stdout: `${emulator.pid}\n` })
      emulator.kill('SIGTERM')
      expect(await ended).toBe(0)
      expect(isHealthy().status).not.toBe(0)
      expect(writtenFiles(image.root)).toEqual(before)
      expect(lstatSync(join(image.root, 'data/state/emulator/emulator.db')).mode & 0o777).toBe(0o600)
    },
    60_000,
  )
})

/** Every file but those below /data and /tmp, with the time of its last change. */
function writtenFiles(imageRoot: string): string[] {
  return globSync('**', { cwd: imageRoot, exclude: ['data', 'tmp'] })
    .map((path) => `${path} ${lstatSync(join(imageRoot, path)).mtimeMs}`)
    .sort()
}

interface Service {
  readonly image: string
  readonly command: string[]
  readonly environment: Record<string, string>
  readonly ports?: string[]
  readonly secrets?: string[]
}

const compose = parse(read('examples/compose/compose.yaml'), { merge: true }) as {
  readonly services: Record<string, Service>
  readonly secrets: Record<string, { readonly file: string }>
}

describe('compose.yaml', () => {
  const services = Object.entries(compose.services)

  it.each(services.filter(([, { image }]) => image.startsWith('bankapi')))(
    '%s has a read-only root and no rights',
    (_name, service) => {
      expect(service).toMatchObject({
        read_only: true,
        tmpfs: ['/tmp'],
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        init: true,
      })
    },
  )

  it.each(services)(
    '%s opens no port to the network, and has no secret in its environment',
    (_name, service) => {
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/)
      const names = Object.keys(service.environment ?? {})
      expect(names.filter((name) => /(KEY|SECRET|TOKEN|PASSWORD)$/.test(name))).toEqual([])
      for (const secret of service.secrets ?? [])
        expect(compose.secrets[secret]?.file).toMatch(/^\.\/secrets\//)
    },
  )

  it.skipIf(!onLinux)('make-secrets makes a password that bankapi reads and Postgres gets, once', () => {
    cpSync(join(root, 'examples/compose/make-secrets'), join(folder, 'make-secrets'))
    const make = () => spawnSync(join(folder, 'make-secrets'), { encoding: 'utf8' })
    const PGPASSFILE = join(folder, 'secrets/pgpass')
    if (![0, 1000].includes(process.getuid?.() ?? -1)) {
      expect(make()).toMatchObject({ status: 1, stderr: expect.stringContaining('Run it as root') })
      expect(existsSync(PGPASSFILE)).toBe(false)
      return
    }
    expect(make()).toMatchObject({ status: 0, stderr: '' })
    const password = readFileSync(join(folder, 'secrets/postgres-password'), 'utf8')
    expect(password).toMatch(/^[0-9a-f]{48}$/)
    const address = {
      host: '/var/run/postgresql',
      port: 5432,
      database: 'bankapi',
      user: undefined,
      tls: false,
    }
    expect(passwordInFile(address, 'bankapi', { PGPASSFILE })).toBe(password)
    expect(lstatSync(PGPASSFILE)).toMatchObject({ uid: 1000 })
    expect(make().status).toBe(0)
    expect(readFileSync(PGPASSFILE, 'utf8')).toContain(password)
  })
})

describe('compose.yaml with an emulator', () => {
  const emulator = emulatorHome()

  it('the listener and the sync that it starts follow an emulator elsewhere', async () => {
    const origin = new URL(emulator.sandbox.base_url).origin
    const [listener, sync] = await Promise.all(
      ['listener', 'sync'].map(async (name) => {
        const { command = [], environment = {} } = compose.services[name] ?? {}
        const port = String(await freePort())
        const args = command.map((word) => word.replace(`${name}:4020`, `127.0.0.1:${port}`))
        const home = createHome({
          env: {
            ...environment,
            BANKAPI_EMULATOR: (environment['BANKAPI_EMULATOR'] ?? '').replace('http://emulator:4010', origin),
            BANKAPI_SYNC_TO: '',
          },
        })
        return home.start([...args, '--port', port])
      }),
    )
    await listener?.line((line) => line.startsWith('Ready'))
    await sync?.line((line) => line.includes('schedule: 1 Client'))
    await emulator.run(['emulator', 'trigger', 'connection.failed', '--connection', 'con_FDE_123'])
    expect(await listener?.line((line) => line.includes('connection.failed'))).toContain('verified')
    expect(await sync?.line((line) => line.includes('cli_demo'))).toContain('changed')
  })
})
