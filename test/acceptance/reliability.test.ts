/** Commands under adverse conditions: a reader that leaves, a full disk, a changed clock, kill -9. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { createEmulatorHome } from '../support/emulator-process.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { freePort } from '../support/free-port.ts'
import { answers, hostileServer } from '../support/hostile-server.ts'
import { createShell } from '../support/shell.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell(['--refresh-duration', '3s'])

const newestStatement = () =>
  emulator.text("bankapi statements list acc_FDE_12301 --limit 1 --jq '.data[0].id'")

/** Waits until a refresh is recorded in the inbox of this home: from then on its command waits for the outcome. */
const refreshBegun = () =>
  until(async () => {
    const list = ['operations', 'list', '--status', 'queued']
    return (await emulator.home.json<{ data: unknown[] }>(list)).data.length > 0
  }, 'the operation in the inbox')

/** Runs a line in bash, with the exit code of the first command of its pipe that failed. */
const piped = (line: string) => emulator.run(`exec bash -o pipefail -c "$LINE"`, { env: { LINE: line } })

describe('a reader that leaves', () => {
  it.each([
    ...['--version', 'help', 'connections list', 'completion bash', 'clients list --json'],
    'transactions list acc_FDE_12301 --all',
    'transactions list acc_FDE_12301 --all -o csv',
    "api GET '/accounts/acc_FDE_12301/transactions?client_id=cli_demo' --paginate",
  ])('before or during the output ends the command silently with exit 0: %s', async (command) => {
    for (const reader of ['true', 'head -1']) {
      const { code, stderr } = await piped(`bankapi ${command} | ${reader}`)
      expect([reader, code, stderr]).toEqual([reader, 0, ''])
    }
  })

  it('of a listener: it removes its subscription and ends', async () => {
    const home = emulator.home
    const listener = home.start(['webhooks', 'listen', '--port', '0', '--json'])
    await listener.line()
    listener.process.stdout.destroy()
    await home.run(['connections', 'refresh', 'con_FDE_123', '--wait'])
    expect((await listener.ended).code).toBe(0)
    expect(await home.json(['webhooks', 'list'])).toMatchObject({ data: [] })
  })
})

describe('SIGTERM', () => {
  it('ends a wait with exit 130 and says how to resume; the operation keeps running', async () => {
    const waiting = emulator.home.start(['connections', 'refresh', 'con_AGGREGATOR_A_1001', '--wait'])
    await refreshBegun()
    waiting.process.kill('SIGTERM')
    const { code, stderr } = await waiting.ended
    const [resume] = /operations wait op_\w+/.exec(stderr) ?? []
    expect([code, resume]).toEqual([130, expect.any(String)])
    expect((await emulator.home.run((resume ?? '').split(' '))).code).toBe(0)
  })

  it('shuts an emulator down cleanly: exit 0, and --env local no longer finds it', async () => {
    const home = await createEmulatorHome()
    home.emulator.process.kill('SIGTERM')
    expect((await home.emulator.ended).code).toBe(0)
    expect(existsSync(join(home.folder, 'data', 'emulator', 'running.json'))).toBe(false)
    await home.remove()
  })
})

describe('a laptop that sleeps', () => {
  it('and wakes during a wait, its connections lost: the wait continues to its end', async () => {
    const sockets = new Set<Socket>()
    let status = 'queued'
    const server = await hostileServer((response, request) => {
      sockets.add(request.socket)
      const accepted = { operation_id: 'op_1', status, poll_url: '/v3/operations/op_1' }
      const operation = { id: 'op_1', type: 'account.refresh', status, created_at: '2026-01-01T00:00:00Z' }
      answers.json(request.method === 'POST' ? accepted : operation)(response, request)
    })
    const home = createHome({ env: { BANKAPI_BASE_URL: server.baseUrl, BANKAPI_API_KEY: 'sk_test_1' } })
    const refresh = ['connections', 'refresh', 'con_FDE_123', '--wait', '--timeout', '1m', '--jq', '.status']
    const waiting = home.start(refresh)
    await until(() => server.requests.includes('GET /v3/operations/op_1'), 'the first look at the operation')
    waiting.process.kill('SIGSTOP')
    await Promise.all([...sockets].map((socket) => once(socket.destroy(), 'close')))
    status = 'succeeded'
    waiting.process.kill('SIGCONT')
    expect(await waiting.ended).toEqual({ code: 0, stdout: 'succeeded\n', stderr: '' })
  })
})

describe('the clock of the machine', () => {
  /** A process whose wall clock is ahead by `ms` after `set()`; its monotonic clock is not. */
  const adjustable = (ms: number) => {
    const flag = join(emulator.home.folder, 'clock-was-set')
    const code = `import { existsSync } from 'node:fs'
      const now = Date.now
      Date.now = () => now() + (existsSync(${JSON.stringify(flag)}) ? ${ms} : 0)`
    const env = { NODE_OPTIONS: `--import "data:text/javascript,${encodeURIComponent(code)}"` }
    return { env, set: () => writeFileSync(flag, '') }
  }
  const day = 86_400_000

  it('set forward by a day during a wait: the wait continues to its end', async () => {
    const refresh = ['connections', 'refresh', 'con_FDE_123', '--wait', '--timeout', '1m', '--jq', '.status']
    const clock = adjustable(day)
    const waiting = emulator.home.start(refresh, { env: clock.env })
    await refreshBegun()
    clock.set()
    const { code, stdout, stderr } = await waiting.ended
    expect([code, stdout, stderr]).toEqual([0, 'succeeded\n', ''])
  })

  it('set back by a day during a wait: --timeout still ends the wait (exit 10)', async () => {
    const started = performance.now()
    const refresh = ['connections', 'refresh', 'con_AGGREGATOR_B_2001', '--wait', '--timeout', '2s']
    const clock = adjustable(-day)
    const waiting = emulator.home.start(refresh, { env: clock.env })
    await refreshBegun()
    clock.set()
    expect((await waiting.ended).code).toBe(10)
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it('set while a listener runs: deliveries signed at the wrong time are refused as too old, with that reason', async () => {
    const home = emulator.home
    const clock = adjustable(day)
    const listener = home.start(['webhooks', 'listen', '--port', '0', '--json'], { env: clock.env })
    const { subscription_id: id } = JSON.parse(await listener.line())
    clock.set()
    const { event_id } = await home.json<{ event_id: string }>(['webhooks', 'test', id])
    const line = JSON.parse(await listener.line((text) => text.includes(event_id)))
    expect(line).toMatchObject({ verified: false, reason: 'timestamp_too_old' })
    listener.process.kill('SIGTERM')
    expect((await listener.ended).code).toBe(0)
  })
})

/** True when this user may mount a file system in a namespace. */
const mayMount = spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0

describe.skipIf(!mayMount)('a full disk', () => {
  /** Runs a line with a disk of `kilobytes` at ./disk, filled by the command `fill`. */
  const onSmallDisk = (line: string, { kilobytes = 64, fill = 'true', env = {} } = {}) => {
    mkdirSync(join(emulator.shell.folder, 'disk'), { recursive: true })
    const script = `mount -t tmpfs -o size=${kilobytes}k,mode=700 tmpfs disk && cd disk && ${fill} && ${line}`
    return emulator.run(`exec unshare -Urm sh -c "$SCRIPT"`, { env: { SCRIPT: script, ...env } })
  }
  const fillUp = '(dd if=/dev/zero of=full bs=4k 2>/dev/null; true)'

  it('fails config set with an error (exit 2), and the old settings remain', async () => {
    const line = `bankapi config set pager more; echo "exit $?"; BANKAPI_DATA_DIR=/nonexistent bankapi config get pager; ls`
    const { stdout, stderr } = await onSmallDisk(line, {
      fill: `bankapi config set pager less >/dev/null && ${fillUp}`,
      env: { BANKAPI_CONFIG_DIR: 'settings' },
    })
    expect(stderr).toMatch(/cannot be (written|locked) \(.*full\)/)
    expect(stdout).toMatch(/^exit 2\nless\n/)
  })

  it('keeps an operation from being recorded: a warning, and the refresh is done (exit 0)', async () => {
    const { base_url, api_key } = emulator.home.sandbox
    const { code, stdout, stderr } = await onSmallDisk(
      'bankapi connections refresh con_FDE_123 --env sandbox --wait --jq .status',
      {
        fill: fillUp,
        env: { BANKAPI_DATA_DIR: 'data', BANKAPI_BASE_URL: base_url, BANKAPI_API_KEY: api_key },
      },
    )
    expect([code, stdout]).toEqual([0, 'succeeded\n'])
    expect(stderr).toMatch(/^Warning: not noted in the inbox: [^\n]*\n$/)
  })

  it('keeps a delivery from being recorded: never answered with 200, an error, and accepted once there is space', async () => {
    const url = `http://127.0.0.1:${await freePort()}/`
    const heard = 'until grep -q Ready ../heard; do sleep 0.1; done'
    const send = `bankapi webhooks trigger connection.active --to ${url} --count 20 >/dev/null 2>&1; echo "exit $?"`
    const line = `${send}; rm full; ${send}; kill $!; wait $!; echo "exit $?"; cat ../heard`
    const { stdout } = await onSmallDisk(line, {
      kilobytes: 1024,
      fill: `{ bankapi webhooks listen --port ${new URL(url).port} > ../heard & } && ${heard} && ${fillUp}`,
      env: { BANKAPI_DATA_DIR: 'data', BANKAPI_WEBHOOK_SECRET: 'whsec_1', BANKAPI_ENV: 'sandbox' },
    })
    const [full, room, end, , ...lines] = stdout.replace('Closed.\n', '').trimEnd().split('\n')
    expect([full, room, end]).toEqual(['exit 11', 'exit 0', 'exit 0'])
    const texts = lines.map((text) => text.replace(/^\S+ /, '').replace(/ {2}.*/, ''))
    expect([...new Set(texts)]).toEqual([
      expect.stringMatching(/^--- Error: The inbox \S+ cannot grow: the disk or inbox\.max_size is full\.$/),
      '--> connection.active',
    ])
    expect(texts.filter((text) => text.startsWith('-->'))).toHaveLength(20)
  })

  it('fails a download with an error (exit 1), and no part of the file is left', async () => {
    const line = `bankapi statements download "${await newestStatement()}"; echo "exit $?"; ls -A`
    const { stdout, stderr } = await onSmallDisk(line, { fill: fillUp })
    expect(stderr).toContain('cannot be written: no space left on device (not_writable)')
    expect(stdout).toBe('exit 1\nfull\n')
  })
})

describe('a home that cannot be written', () => {
  /** Runs as nobody when the tests run as root, who may write anywhere. */
  const asSomebody = process.getuid?.() === 0 ? 'setpriv --reuid=65534 --regid=65534 --clear-groups ' : ''

  it('does not prevent reading bank data; commands that need a file say which and why', async () => {
    const { base_url, api_key } = emulator.home.sandbox
    const home = createHome({ env: { BANKAPI_BASE_URL: base_url, BANKAPI_API_KEY: api_key } })
    const shell = createShell(home)
    for (const folder of [shell.folder, home.folder]) {
      if (asSomebody !== '') chownSync(folder, 65_534, 65_534)
      chmodSync(folder, 0o555)
    }
    const run = (line: string) =>
      shell.run(`${asSomebody}${line}`, { env: { BANKAPI_CLIENT_ID: 'cli_demo', XDG_CACHE_HOME: '' } })
    const list = await run('bankapi connections list')
    expect([list.code, list.stdout.split('\n').length > 2, list.stderr]).toEqual([0, true, ''])
    const refresh = await run('bankapi connections refresh con_FDE_123 --wait --jq .status')
    expect([refresh.code, refresh.stdout]).toEqual([0, 'succeeded\n'])
    expect(refresh.stderr).toMatch(/^Warning: not noted in the inbox: .*data cannot be created/)
    const set = await run('bankapi config set pager less')
    expect([set.code, set.stderr]).toEqual([2, expect.stringContaining('config cannot be created (EACCES)')])
    const download = await run(`bankapi statements download ${await newestStatement()}`)
    expect([download.code, download.stderr]).toEqual([2, expect.stringContaining('permission denied')])
    chmodSync(home.folder, 0o755)
    chmodSync(shell.folder, 0o755)
  })
})

describe('corrupted settings', () => {
  it('are renamed with a warning; the command continues without them', async () => {
    const home = createHome()
    await home.run(['config', 'set', 'pager', 'less'])
    const folder = join(home.folder, 'config')
    writeFileSync(join(folder, 'settings.json'), '{"pager": "le')
    const { code, stderr } = await home.run(['config', 'set', 'output.utc', 'true'])
    const aside = readdirSync(folder).find((name) => name.includes('corrupt')) ?? 'none'
    expect([code, stderr]).toEqual([0, expect.stringContaining(aside)])
    expect(readFileSync(join(folder, aside), 'utf8')).toBe('{"pager": "le')
    expect(await home.run(['config', 'get', 'output.utc'])).toMatchObject({ stdout: 'true\n', stderr: '' })
  })

  it('changed by several commands at once: no change is lost', async () => {
    const home = createHome()
    const names = ['pager', 'inbox.keep', 'environments.live.client_id', 'environments.sandbox.client_id']
    const set = names.map((name, at) => home.run(['config', 'set', name, `${at + 1}d`]))
    expect((await Promise.all(set)).map(({ code }) => code)).toEqual([0, 0, 0, 0])
    const list = await Promise.all(names.map((name) => home.run(['config', 'get', name])))
    expect(list.map(({ stdout }) => stdout)).toEqual(['1d\n', '2d\n', '3d\n', '4d\n'])
  })
})

describe('a killed emulator', () => {
  it('is reported as gone, and the next one starts in its place', async () => {
    const home = await createEmulatorHome()
    home.emulator.process.kill('SIGKILL')
    await home.emulator.ended
    expect(existsSync(join(home.folder, 'data', 'emulator', 'running.json'))).toBe(true)
    const { code, stderr } = await home.run(['connections', 'list'])
    expect([code, stderr]).toEqual([11, expect.stringContaining('no longer runs')])
    const next = home.start(['emulator', 'start', '--memory', '--port', '0', '--live-port', '0'])
    await next.line((line) => line.startsWith('Ready'))
    expect((await home.run(['connections', 'list'])).code).toBe(0)
    await home.remove()
  })

  it('does not prevent another from starting when a different program has its process id', async () => {
    const home = createHome({ env: { BANKAPI_ENV: 'local' } })
    const folder = join(home.folder, 'data', 'emulator')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(join(home.folder, 'data'), 0o700)
    const base = { base_url: `http://127.0.0.1:${await freePort()}/v3`, api_key: 'k', portal_secret: 'p' }
    const control_url = base.base_url.replace('/v3', '/_emulator')
    const left = {
      pid: process.pid,
      started_at: '2026-01-01T00:00:00Z',
      sandbox: base,
      live: base,
      control_url,
    }
    writeFileSync(join(folder, 'running.json'), JSON.stringify(left), { mode: 0o600 })
    const next = home.start(['emulator', 'start', '--memory', '--port', '0', '--live-port', '0'])
    await next.line((line) => line.startsWith('Ready'))
    const second = await home.run(['emulator', 'start', '--memory', '--port', '0', '--live-port', '0'])
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining('An emulator runs already')])
  })
})
