/** Secrets where others could find them: environments of other programs, file modes, the screen. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHome, type Home } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { createShell } from '../support/shell.ts'
import { keys, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell()

describe('another program that is started', () => {
  const secrets = {
    BANKAPI_API_KEY: '',
    BANKAPI_PORTAL_SECRET: 'portal_do_not_hand_on',
    BANKAPI_WEBHOOK_SECRET: 'whsec_do_not_hand_on',
  }
  const withSecrets = () => ({ ...secrets, BANKAPI_API_KEY: emulator.home.sandbox.api_key })

  it('as the browser has none of our secrets in its environment', async () => {
    const seen = join(emulator.home.folder, 'browser')
    const opener = join(emulator.home.folder, 'bin', 'xdg-open')
    writeFileSync(
      opener,
      `#!/bin/sh\nenv > '${seen}.part'; echo "$@" >> '${seen}.part'; mv '${seen}.part' '${seen}'\n`,
    )
    chmodSync(opener, 0o755)
    await emulator.text('bankapi connect-sessions create --open --json', { env: withSecrets() })
    await until(() => existsSync(seen), 'the browser')
    const text = readFileSync(seen, 'utf8')
    expect(text).toContain('/connect-session?token=')
    expect(text).toContain('PATH=')
    for (const [name, value] of Object.entries(withSecrets())) {
      expect(text).not.toContain(name)
      expect(text).not.toContain(value)
    }
  })

  it('as the pager has none of our secrets in its environment', async () => {
    const env = { ...withSecrets(), BANKAPI_PAGER: 'env > pager; cat' }
    const { code } = await emulator.open('bankapi institutions search bank', { env, rows: 5 }).ended
    const text = readFileSync(join(emulator.shell.folder, 'pager'), 'utf8')
    expect(code).toBe(0)
    expect(text).toContain('BANKAPI_PAGER=')
    for (const value of Object.values(withSecrets())) expect(text).not.toContain(value)
  })
})

describe('a key typed at the prompt', () => {
  it('is not shown, neither while it is typed nor afterwards', async () => {
    const { base_url, api_key } = emulator.home.sandbox
    const home = createHome({ env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' } })
    const shell = createShell(home)
    const line = `bankapi login --env sandbox --base-url ${base_url} --insecure-storage && bankapi whoami --env sandbox`
    const terminal = openTerminal(shell, line)
    await terminal.sees(/key/i)
    terminal.type(`${api_key}${keys.enter}`)
    const { code, raw } = await terminal.ended
    expect([code, raw]).toEqual([0, expect.not.stringContaining(api_key)])
    expect(raw).toContain(`${api_key.slice(0, 'sk_test_'.length + 4)}`)
  })
})

/** Every file and folder under `folder` that others may access, with its mode. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const stats = lstatSync(join(folder, name))
    return stats.isSymbolicLink() || (stats.mode & 0o077) === 0
      ? []
      : [`${name} ${(stats.mode & 0o777).toString(8)}`]
  })
}

describe('under umask 000', () => {
  it('everything that is kept is the user’s alone: settings, secrets, inbox, emulator, downloads', async () => {
    const home = createHome({ env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' } })
    const shell = createShell(home)
    const run = async (line: string, options = {}) => {
      const { code, stderr } = await shell.run(`umask 000; ${line}`, options)
      expect([line, code, stderr]).toEqual([line, 0, expect.any(String)])
    }
    const started = openTerminal(shell, 'umask 000; bankapi emulator start --port 0 --live-port 0')
    await started.sees('Ready')
    const { base_url, api_key } = JSON.parse(
      readFileSync(join(home.folder, 'data', 'emulator', 'running.json'), 'utf8'),
    ).sandbox
    await run('bankapi config set default_environment local')
    await run(`bankapi login --env sandbox --base-url ${base_url} --key-stdin --insecure-storage`, {
      input: api_key,
    })
    await run('bankapi connections refresh con_FDE_123 --wait')
    const newest = "$(bankapi statements list acc_FDE_12301 --client cli_demo --limit 1 --jq '.data[0].id')"
    await run(`bankapi statements download "${newest}" --client cli_demo -O statement.pdf`)
    const listener = openTerminal(shell, 'umask 000; bankapi webhooks listen --port 0')
    await listener.sees('Ready')
    const kept = ['config', 'data', 'work'].map((name) => join(home.folder, name))
    const names = kept.flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    expect(names).toEqual(
      expect.arrayContaining([
        'settings.json',
        'credentials.json',
        'inbox.sqlite',
        'listeners.json',
        'emulator/emulator.db',
        'emulator/running.json',
        'statement.pdf',
      ]),
    )
    expect(kept.flatMap(openToOthers)).toEqual([])
    for (const terminal of [listener, started]) {
      terminal.type(keys.ctrlC)
      await terminal.ended
    }
  })
})

describe('the compile cache, whose bytecode runs as it is', () => {
  const cacheOf = (home: Home) => join(home.folder, 'cache', 'bankapi', 'compile')
  const homeWithCache = () => {
    const home = createHome()
    return { home, env: { XDG_CACHE_HOME: join(home.folder, 'cache') } }
  }

  it.each(['000', '002'])('is the user’s alone under umask %s', async (umask) => {
    const { home, env } = homeWithCache()
    const { code } = await createShell(home).run(`umask ${umask}; bankapi config list --all`, { env })
    expect(code).toBe(0)
    expect(readdirSync(cacheOf(home), { recursive: true }).length).toBeGreaterThan(1)
    // What Node writes into its folder has the umask's mode; nobody else gets that far.
    const folders = [cacheOf(home), ...readdirSync(cacheOf(home)).map((name) => join(cacheOf(home), name))]
    expect(folders.map((folder) => lstatSync(folder).mode & 0o777)).toEqual([0o700, 0o700])
    expect(lstatSync(join(home.folder, 'cache')).mode & 0o777).toBe(0o700)
  })

  it.each(['', 'bankapi', 'bankapi/compile', 'bankapi/compile/v24'])(
    'is not used when others can write its folder %s, and stderr says so in one line',
    async (name) => {
      const { home, env } = homeWithCache()
      mkdirSync(join(cacheOf(home), 'v24'), { recursive: true })
      const folder = join(home.folder, 'cache', name)
      chmodSync(folder, 0o777)
      const { code, stderr } = await home.run(['config', 'list', '--all'], { env })
      const hint =
        name === ''
          ? 'Set XDG_CACHE_HOME to a folder that only you can write.'
          : `Remove it: rm -r '${dirname(cacheOf(home))}'`
      expect([code, stderr]).toEqual([
        0,
        `Warning: the compile cache is not used: ${folder} can be written by other users. ${hint}\n`,
      ])
      expect(readdirSync(cacheOf(home), { recursive: true })).toEqual(['v24'])
    },
  )

  it.skipIf(process.getuid?.() !== 0)('is not used when a folder of it belongs to another user', async () => {
    const { home, env } = homeWithCache()
    mkdirSync(cacheOf(home), { recursive: true })
    chownSync(cacheOf(home), 54_321, 54_321)
    const { code, stderr } = await home.run(['config', 'list', '--all'], { env })
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${cacheOf(home)} belongs to another user.`)])
    expect(readdirSync(cacheOf(home))).toEqual([])
  })

  it('of NODE_COMPILE_CACHE, which Node itself uses, has to be safe as well (exit 2)', async () => {
    const { home } = homeWithCache()
    const folder = join(home.folder, 'node-cache')
    const env = { NODE_COMPILE_CACHE: folder }
    expect(await home.run(['config', 'list', '--all'], { env })).toMatchObject({ code: 0, stderr: '' })
    chmodSync(folder, 0o777)
    const { code, stderr } = await home.run(['config', 'list', '--all'], { env })
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${folder} can be written by other users.`)])
  })
})
