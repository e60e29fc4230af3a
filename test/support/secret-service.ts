/**
 * Starts a real Secret Service for tests: gnome-keyring on a separate D-Bus session in a temporary folder. The user's
 * session is not touched, and no window asks for a password.
 *
 *     const service = await startSecretService()
 *     spawn(process.execPath, [bin, 'login'], { env: { ...service.env, … } })
 *     await service.secretTool(['search', 'service', 'bankapi'])
 *     await service.stop()
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from './until.ts'

const TOOLS = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon', 'secret-tool']

export interface SecretService {
  /** Only PATH, the session's address, and separate home and XDG folders. */
  readonly env: Record<string, string>
  /** Runs secret-tool in the session. Returns its stdout and stderr as one text, and its exit code. */
  secretTool(args: readonly string[], input?: string): Promise<{ text: string; code: number }>
  /** Locks the keyring; nothing unlocks it again. */
  lock(): Promise<void>
  /** Ends both processes and removes the folder. */
  stop(): Promise<void>
}

/**
 * A sentence that says why these tests cannot run here; undefined when they can. With BANKAPI_TEST_NO_SKIP=1 it throws
 * instead.
 */
export function whyNoSecretService(): string | undefined {
  const missing = TOOLS.filter((tool) => !isInstalled(tool))
  if (process.platform === 'linux' && missing.length === 0) return undefined
  const reason =
    process.platform === 'linux'
      ? `${missing.join(', ')} not installed (apt-get install dbus gnome-keyring libsecret-tools)`
      : `the Secret Service is tested on Linux, this is ${process.platform}`
  if (process.env['BANKAPI_TEST_NO_SKIP'] === '1') throw new Error(`No keychain to test with: ${reason}`)
  return reason
}

function isInstalled(tool: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Starts the session with an unlocked, empty keyring. Throws when it does not start. */
export async function startSecretService(): Promise<SecretService> {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-keyring-'))
  const runtime = join(folder, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  const socket = join(runtime, 'bus')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_RUNTIME_DIR: runtime,
    XDG_CONFIG_HOME: join(folder, '.config'),
    XDG_DATA_HOME: join(folder, '.local', 'share'),
    XDG_CACHE_HOME: join(folder, '.cache'),
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${socket}`,
    LC_ALL: 'C.UTF-8',
  }
  writeFileSync(join(folder, 'bus.conf'), busConfig(socket))
  const bus = spawn('dbus-daemon', [`--config-file=${join(folder, 'bus.conf')}`, '--nofork', '--nopidfile'], {
    env,
    stdio: 'ignore',
  })
  const processes = [bus]
  const stop = async (): Promise<void> => {
    for (const child of processes.toReversed()) await end(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await until(() => answers(env, 'org.freedesktop.DBus'), 'dbus-daemon')
    const keyring = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    processes.push(keyring)
    keyring.stdin.on('error', () => {})
    keyring.stdin.end('throwaway')
    await until(() => answers(env, 'org.freedesktop.secrets'), 'gnome-keyring-daemon')
  } catch (error) {
    await stop()
    throw error
  }
  const secretTool: SecretService['secretTool'] = (args, input) => run('secret-tool', args, env, input)
  return {
    env,
    secretTool,
    async lock() {
      const service = [
        '--session',
        '--print-reply',
        '--dest=org.freedesktop.secrets',
        '/org/freedesktop/secrets',
      ]
      const collection = 'array:objpath:/org/freedesktop/secrets/collection/login'
      const { code, text } = await run(
        'dbus-send',
        [...service, 'org.freedesktop.Secret.Service.Lock', collection],
        env,
      )
      if (code !== 0 || !text.includes('collection/login'))
        throw new Error(`The keyring was not locked: ${text}`)
    },
    stop,
  }
}

/** Without service folders D-Bus starts no programs, so no prompt can appear on a screen. */
function busConfig(socket: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=${socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`
}

async function answers(env: Record<string, string>, name: string): Promise<boolean> {
  const question = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/org/freedesktop/DBus']
  const { text } = await run(
    'dbus-send',
    [...question, 'org.freedesktop.DBus.NameHasOwner', `string:${name}`],
    env,
  )
  return text.includes('boolean true')
}

function run(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<{ text: string; code: number }> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env, timeout: 10_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ text: stdout + stderr, code })
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.kill('SIGTERM')
  const impatient = setTimeout(() => child.kill('SIGKILL'), 3000)
  await gone
  clearTimeout(impatient)
}
