import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { bin } from '../support/built-program.ts'
import { createHome, type Home, type Run } from '../support/cli.ts'
import { createEmulatorHome } from '../support/emulator-process.ts'
import { filesBelow, marked } from '../support/leftovers.ts'
import { createShell } from '../support/shell.ts'
import { keys, openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

let home: Home
let temporary: string
beforeEach(() => {
  home = createHome()
  temporary = join(home.folder, 'tmp')
  mkdirSync(temporary)
})

const exec = (line: string, flags: readonly string[] = [], before: readonly string[] = []) =>
  home.run(['emulator', 'exec', ...flags, '--', ...before, 'sh', '-c', line], {
    env: { ...createShell(home).env, TMPDIR: temporary },
  })

/** Runs it without a terminal, as a build server does, in a session of its own. */
function inBackground(line: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [bin, 'emulator', 'exec', '--', 'sh', '-c', line], {
    env: { ...createShell(home).env, ...env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<Run & { signal: string | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }))
  })
  return { child, ended, says: (text: string) => until(() => stdout.includes(text), text) }
}

/** Whether a process with this parent's parent has replaced itself with `sleep`. */
function sleepsBelow(grandparent: number | undefined): boolean {
  const statOf = (pid: string) => {
    try {
      const [, name, , parent] =
        /^\d+ \((.*)\) (\S) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      return { name, parent }
    } catch {
      return { name: undefined, parent: undefined }
    }
  }
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map(statOf)
    .some(({ name, parent }) => name === 'sleep' && statOf(parent ?? '').parent === String(grandparent))
}

/** Processes are found by /proc. */
const elsewhere = process.platform !== 'linux'

describe.skipIf(elsewhere)('exit code and output are those of the command', () => {
  it.each([
    ['true', 0],
    ['false', 1],
    ['exit 77', 77],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('%s: %i', async (line, code) => {
    const mark = marked()
    const run = await home.run(['emulator', 'exec', '--', 'sh', '-c', line], {
      env: { TMPDIR: temporary, ...mark.env },
    })
    expect(run).toEqual({ code, stdout: '', stderr: '' })
    expect(mark.processes()).toEqual([])
    expect(filesBelow(home.folder)).toEqual(['tmp'])
  })

  it('stdin, stdout and stderr are its own; words are handed on as they are', async () => {
    const print = 'process.stdin.pipe(process.stdout); console.error(JSON.stringify(process.argv.slice(1)))'
    const words = ['--help', '-o', 'csv', 'a b', '$HOME', '--', '*']
    const args = ['emulator', 'exec', '--', process.execPath, '-e', print, '--', ...words]
    expect(await home.run(args, { input: 'from outside' })).toEqual({
      code: 0,
      stdout: 'from outside',
      stderr: `${JSON.stringify(words)}\n`,
    })
  })

  it('a command that is not there, that cannot be executed, or is missing: exit 2, and nothing is left', async () => {
    for (const [args, said] of [
      [['--', 'no-such-command'], 'is not there'],
      [['--', home.folder], 'cannot be executed'],
      [['--'], 'Which command?'],
      [[], 'Which command?'],
      [['npm', 'test'], 'Which command?'],
    ] as const) {
      const { code, stderr } = await home.run(['emulator', 'exec', ...args], { env: { TMPDIR: temporary } })
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)])
    }
    expect(filesBelow(temporary)).toEqual([])
  })

  it('a folder for temporary files that is not there: exit 2, and a sentence', async () => {
    const missing = join(temporary, 'missing')
    const run = await home.run(['emulator', 'exec', '--', 'true'], { env: { TMPDIR: missing } })
    expect(run).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`No folder can be made in ${missing}`),
    })
    expect(run.stderr).toContain('TMPDIR')
    expect(run.stderr).not.toContain('unexpected')
  })
})

describe('the command has an emulator of its own', () => {
  it('with address, key, Client and portal secret in its environment, whatever was there before', async () => {
    const { code, stdout, stderr } = await home.run(
      [
        'emulator',
        'exec',
        '--',
        'sh',
        '-c',
        'env | grep BANKAPI_ | sort; bankapi accounts list | wc -l; bankapi whoami --jq .accepted',
      ],
      {
        env: {
          ...createShell(home).env,
          TMPDIR: temporary,
          BANKAPI_ENV: 'live',
          BANKAPI_BASE_URL: 'https://api.example.com/v3',
          BANKAPI_API_KEY: 'sk_live_another',
          BANKAPI_CLIENT_ID: 'cli_another',
          BANKAPI_WEBHOOK_SECRET: 'whsec_another',
          BANKAPI_INBOX_AT: 'postgres://nobody@127.0.0.1:1/another',
          BANKAPI_INBOX_CUSTOMER: 'another',
          BANKAPI_SYNC_TO: 'another.sqlite',
          BANKAPI_OF_TOMORROW: 'another',
          BANKAPI_PAGER: 'cat',
        },
      },
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^BANKAPI_API_KEY=sk_test_\w{40}$/),
      expect.stringMatching(/^BANKAPI_BASE_URL=http:\/\/127\.0\.0\.1:\d+\/v3$/),
      'BANKAPI_CLIENT_ID=cli_demo',
      expect.stringMatching(/^BANKAPI_CONFIG_DIR=.*\/tmp\/bankapi-exec-\w+\/config$/),
      expect.stringMatching(/^BANKAPI_DATA_DIR=.*\/tmp\/bankapi-exec-\w+\/data$/),
      'BANKAPI_ENV=local',
      'BANKAPI_PAGER=cat',
      expect.stringMatching(/^BANKAPI_PORTAL_SECRET=portal_\w+$/),
      '19',
      'true',
      '',
    ])
  })

  it('and what the command line names; its folders are there', async () => {
    const { code, stdout } = await exec(
      'echo $BANKAPI_WEBHOOK_SECRET; : > "$BANKAPI_CONFIG_DIR/a"; : > "$BANKAPI_DATA_DIR/b"; ls "$BANKAPI_CONFIG_DIR"',
      [],
      ['env', 'BANKAPI_WEBHOOK_SECRET=whsec_mine'],
    )
    expect([code, stdout]).toEqual([0, 'whsec_mine\na\n'])
  })

  it('emulator stop leaves it to exec, which ends as the command does', async () => {
    const { code, stdout } = await exec(
      'bankapi emulator stop && bankapi emulator stop --jq .stopped && bankapi connections list | wc -l; exit 7',
    )
    expect([code, stdout]).toEqual([
      7,
      'Not stopped: bankapi emulator exec ends this emulator when its command has ended.\nfalse\n3\n',
    ])
  })

  it('its controls, its log and a listener work in it', async () => {
    const { code, stdout, stderr } = await exec(
      [
        'set -e; cd "$HOME"; : > lines',
        'test "$(bankapi emulator advance 24h --jq .jobs_run)" -gt 0',
        'bankapi webhooks listen --port 0 --json > lines &',
        'until grep -q ready lines; do sleep 0.05; done',
        'bankapi emulator trigger connection.failed --connection con_FDE_123 --jq .status',
        'bankapi webhooks expect connection.failed --since 1m --within 20s --jq .type',
        'kill $!; wait $!',
        "bankapi emulator logs --jq '.data | length > 0'",
      ].join('\n'),
      ['--auto-link', '1s'],
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toBe('failed\nconnection.failed\ntrue\n')
    expect(filesBelow(temporary)).toEqual([])
  })

  it('beside another one, which it neither uses nor disturbs', async () => {
    const other = await createEmulatorHome()
    try {
      const shell = createShell(other)
      const before = await other.json<object>(['emulator', 'status'])
      const { code, stdout } = await shell.run(
        "bankapi emulator exec -- sh -c 'bankapi clients create --name Ada --jq .name; bankapi webhooks listen --help > lines; bankapi emulator status --jq .pid'",
      )
      const [name, pid] = stdout.trim().split('\n')
      expect([code, name]).toEqual([0, 'Ada'])
      expect(Number(pid)).not.toBe(other.emulator.process.pid)
      const after = await other.json<object>(['emulator', 'status'])
      const steady = ({
        clock: _,
        clock_ahead_ms: __,
        jobs_waiting: ___,
        next_job_at: ____,
        ...rest
      }: Record<string, unknown>) => rest
      expect(steady(after as never)).toEqual(steady(before as never))
      expect((await other.json<{ data: object[] }>(['clients', 'list'])).data).toHaveLength(1)
      expect(await other.json(['emulator', 'logs', '--failed'])).toEqual({ data: [], has_more: false })
    } finally {
      await other.remove()
    }
  })

  it('--debug prints each request on stderr, without the key', async () => {
    const { stdout, stderr } = await exec(
      'bankapi connections get con_FDE_9 2> /dev/null; bankapi health --jq .base_url',
      ['--debug'],
    )
    expect(stdout).toMatch(/^http:/)
    expect(stderr).toMatch(
      /^\d\d:\d\d:\d\d GET \/v3\/connections\/con_FDE_9 -> 404 \d+ms {2}not_found {2}sk_test_\w{4} {2}[0-9a-f-]{36}$/m,
    )
    expect(stderr).not.toMatch(/sk_test_\w{5}/)
  })
})

describe.skipIf(elsewhere)('signals', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGQUIT', 131],
    ['SIGUSR1', 138],
    ['SIGUSR2', 140],
  ] as const)('%s is handed on to the command and to what it runs', async (signal, code) => {
    const mark = marked()
    // A shell that dies of a signal leaves the program that it waits for.
    const run = inBackground('sleep 1000; true', mark.env)
    // A signal while the shell starts its program can be lost in the shell.
    await until(() => sleepsBelow(run.child.pid), 'the program runs')
    run.child.kill(signal)
    const { code: left, stderr } = await run.ended
    expect([left, stderr]).toEqual([code, ''])
    await until(() => mark.processes().length === 0, 'no process is left')
    expect(filesBelow(temporary)).toEqual([])
  })

  it('the command may handle it, in its own time: exec waits, and ends as it does', async () => {
    const mark = marked()
    const program = `process.on('SIGTERM', () => setTimeout(() => { console.log('in order'); process.exit(5) }, 300)); setInterval(() => {}, 1000); console.log('started')`
    const run = inBackground(`exec '${process.execPath}' -e "${program}"`, mark.env)
    await run.says('started')
    run.child.kill('SIGTERM')
    const { code, stdout } = await run.ended
    expect([code, stdout]).toEqual([5, 'started\nin order\n'])
    expect(mark.processes()).toEqual([])
  })

  it('Ctrl-C at a terminal reaches the command once', async () => {
    const mark = marked()
    const shell = createShell(home)
    const program = `let n = 0; process.on('SIGINT', () => { n += 1; setTimeout(() => { console.log('heard ' + n); process.exit(3) }, 500) }); setInterval(() => {}, 1000); console.log('started')`
    const terminal = openTerminal(
      shell,
      `bankapi emulator exec -- '${process.execPath}' -e "${program}"; echo "code $?"`,
      { env: { TMPDIR: temporary, ...mark.env } },
    )
    await terminal.sees('started')
    // Later than a signal that may have been sent before the command was there.
    await sleep(200)
    terminal.type(keys.ctrlC)
    await terminal.sees('heard 1')
    await until(() => mark.processes().length === 0, 'no process is left')
    expect(filesBelow(temporary)).toEqual([])
  })

  it('the command has the terminal: its size, and what is typed', async () => {
    const shell = createShell(home)
    const terminal = openTerminal(
      shell,
      'bankapi emulator exec -- sh -c \'stty size; read word; echo "got $word"\'',
      {
        columns: 93,
        rows: 17,
      },
    )
    await terminal.sees('17 93')
    terminal.type('hello\r')
    await terminal.sees('got hello')
    expect((await terminal.ended).code).toBe(0)
  })
})

describe.skipIf(elsewhere)(
  'Ctrl-C at any moment leaves no process, no lock and no state',
  { tags: ['slow'] },
  () => {
    const moments = Array.from({ length: 11 }, (_, index) => index * 80).concat([1000, 1600])

    it.each([
      ['without a terminal', false],
      ['at a terminal', true],
    ])('%s', async (_where, atTerminal) => {
      const shell = createShell(home)
      const codes = new Set<number | string | null>()
      for (const moment of moments) {
        const mark = marked()
        if (atTerminal) {
          const terminal = openTerminal(shell, 'echo go; exec bankapi emulator exec -- sleep 1000', {
            env: { TMPDIR: temporary, ...mark.env },
          })
          await terminal.sees('go')
          await sleep(moment)
          terminal.type(keys.ctrlC)
          await terminal.ended
        } else {
          const run = inBackground('exec sleep 1000', mark.env)
          await sleep(moment)
          run.child.kill('SIGINT')
          const { code, signal } = await run.ended
          codes.add(code ?? signal)
        }
        await until(() => mark.processes().length === 0, `no process is left after ${moment} ms`)
        expect(filesBelow(temporary), `after ${moment} ms`).toEqual([])
        expect(filesBelow(home.folder).filter((name) => /^(data|config)/.test(name))).toEqual([])
      }
      // Before the program has begun to listen, the system ends it.
      if (!atTerminal) expect([...codes].sort()).toEqual([130, 'SIGINT'])
    })
  },
)
