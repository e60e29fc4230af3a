import { chmodSync, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHome } from '../support/cli.ts'
import { createEmulatorHome } from '../support/emulator-process.ts'
import { createShell } from '../support/shell.ts'
import { until } from '../support/until.ts'

it.each([
  [['--seed', '7'], 'Made with seed 7: its keys, signing secrets and tokens are predictable.\n'],
  [[], ''],
])('emulator start %j says on stderr when its secrets are predictable', async (flags, said) => {
  const home = await createEmulatorHome(flags)
  try {
    await home.run(['emulator', 'stop'])
    const { code, stderr } = await home.emulator.ended
    expect([code, stderr]).toEqual([0, said])
  } finally {
    await home.remove()
  }
})

it('emulator stop shuts the emulator down cleanly; without one it says so (exit 11)', async () => {
  const home = await createEmulatorHome()
  try {
    const { pid } = await home.json<{ pid: number }>(['emulator', 'stop'])
    expect(pid).toBe(home.emulator.process.pid)
    expect((await home.emulator.ended).code).toBe(0)
    expect((await home.run(['emulator', 'stop'])).code).toBe(11)
  } finally {
    await home.remove()
  }
})

it('emulator start names its console first, and --open opens it in the browser', async () => {
  const home = createHome()
  const seen = join(home.folder, 'browser')
  const opener = join(home.folder, 'xdg-open')
  writeFileSync(opener, `#!/bin/sh\necho "$1" > '${seen}.part'; mv '${seen}.part' '${seen}'\n`)
  chmodSync(opener, 0o755)
  const started = home.start(['emulator', 'start', '--memory', '--open', '--port', '0', '--live-port', '0'], {
    env: { PATH: `${home.folder}:${process.env['PATH']}` },
  })
  const line = await started.line()
  expect(line).toMatch(/^Console: http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{32}$/)
  await until(() => existsSync(seen), 'the browser')
  const url = line.slice('Console: '.length)
  expect(readFileSync(seen, 'utf8').trim()).toBe(url)
  const { console_url } = await home.json<{ console_url: string }>(['emulator', 'status'])
  expect(console_url).toBe(url)
  const page = await fetch(url, { headers: { accept: 'text/html' }, redirect: 'manual' })
  expect(page.status).toBe(303)
  for (const file of ['page.js', 'style.css'])
    expect((await fetch(new URL(`/console/${file}`, url))).status).toBe(200)
})

describe('emulator start --detach', () => {
  const start = ['emulator', 'start', '--port', '0', '--live-port', '0', '--memory']
  const local = { env: { BANKAPI_ENV: 'local' } }

  it('ends once the emulator is ready, which goes on until emulator stop; its log is for the user alone', async () => {
    const home = createHome(local)
    const { code, stdout, stderr } = await home.run([...start, '--detach', '--json'])
    expect([code, stderr]).toEqual([0, ''])
    const { pid, sandbox } = JSON.parse(stdout)
    onTestFinished(() => void home.run(['emulator', 'stop']))
    expect(await home.json(['emulator', 'status'])).toMatchObject({ pid, sandbox, data_file: null })
    expect((await home.json<{ data: object[] }>(['clients', 'list'])).data).toHaveLength(1)
    const log = join(home.folder, 'data', 'emulator', 'detached.log')
    expect([lstatSync(log).mode & 0o777, readFileSync(log, 'utf8')]).toEqual([0o600, ''])
    const again = await home.run([...start, '--detach'])
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(`process ${pid}`)])
    expect(await home.json(['emulator', 'stop'])).toEqual({ pid, stopped: true })
    expect((await home.run(['emulator', 'status'])).code).toBe(11)
  })

  it('on a full disk at stdout it says so, and leaves no emulator', async () => {
    const shell = createShell(createHome(local))
    const { code, stderr } = await shell.run(`bankapi ${start.join(' ')} --detach > /dev/full`)
    expect(code).not.toBe(0)
    expect(stderr).toContain('no space left')
    const hasEnded = async () => (await shell.run('bankapi emulator status')).code === 11
    await until(hasEnded, 'the end of the emulator')
  })

  it('one that cannot start says why, with its exit code', async () => {
    const first = createHome(local)
    const { sandbox } = await first.json<{ sandbox: { base_url: string } }>([...start, '--detach'])
    onTestFinished(() => void first.run(['emulator', 'stop']))
    const { port } = new URL(sandbox.base_url)
    const { code, stdout, stderr } = await createHome(local).run([
      'emulator',
      'start',
      '--detach',
      '--port',
      port,
    ])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(new RegExp(`^Error: Port ${port} is in use`))
    await first.run(['emulator', 'stop'])
  })

  it('Ctrl-C before it is ready ends both', async () => {
    const home = createHome(local)
    const starting = home.start([...start, '--detach', '--crowd', '300x5x200'])
    const log = join(home.folder, 'data', 'emulator', 'detached.log')
    await expect.poll(() => lstatSync(log, { throwIfNoEntry: false })).toBeDefined()
    starting.process.kill('SIGINT')
    expect((await starting.ended).code).toBe(130)
    expect((await home.run(['emulator', 'status'])).code).toBe(11)
  })
})
