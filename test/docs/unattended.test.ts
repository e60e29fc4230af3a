/** What docs/keep-a-database.md gives to cron and systemd, run as they would run it. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bin } from '../support/built-program.ts'
import { emulatorHome } from '../support/emulator-process.ts'

const home = emulatorHome()
const page = readFileSync(new URL('../../docs/keep-a-database.md', import.meta.url), 'utf8')
const [, crontab = ''] = /^```\n(PATH=[\s\S]*?)^```/m.exec(page) ?? []
const [, unit = ''] = /^```ini\n([\s\S]*?)^```/m.exec(page) ?? []

function program(name: string, script: string): void {
  mkdirSync(join(home.folder, 'bin'), { recursive: true })
  writeFileSync(join(home.folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

test('the lines for cron do their work in its environment, and send a mail when they fail', async () => {
  const folder = home.folder
  const [, ...lines] = crontab.trim().split('\n')
  // cron takes % for the end of the command.
  expect([lines.length, crontab.includes('%')]).toEqual([2, false])
  const [sync = '', status = ''] = lines.map((line) =>
    line.replace(/^(?:\S+\s+){5}/, '').replaceAll('/srv/bank', folder),
  )
  program('bankapi', `exec '${process.execPath}' '${bin}' "$@"`)
  program('mail', `echo "$*" >> '${folder}/mails'`)
  const secrets = (key: string) =>
    writeFileSync(
      join(folder, 'secrets'),
      `BANKAPI_ENV=live\nBANKAPI_BASE_URL=${home.live.base_url}\nBANKAPI_API_KEY=${key}\n`,
      { mode: 0o600 },
    )
  const cron = (line: string) => {
    const env = { HOME: folder, LOGNAME: 'bank', SHELL: '/bin/sh', PATH: `${folder}/bin:/usr/bin:/bin` }
    const { stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
    const mails = existsSync(join(folder, 'mails')) ? readFileSync(join(folder, 'mails'), 'utf8') : ''
    rmSync(join(folder, 'mails'), { force: true })
    return { stdout, stderr, mails }
  }
  secrets(home.live.api_key)
  const quiet = { stdout: '', stderr: '', mails: '' }
  expect([cron(sync), cron(status)]).toEqual([quiet, quiet])
  const log = readFileSync(join(folder, 'sync.log'), 'utf8').trim().split('\n')
  expect(log.map((line) => JSON.parse(line))).toMatchObject([{ outcome: 'complete', clients: 1 }])
  secrets('sk_live_unknown')
  expect(cron(sync).mails).toBe('-s sync: exit 3 ops@example.com\n')
  rmSync(join(folder, 'bank.sqlite'))
  expect(cron(status).mails).toBe('-s the mirror is stale ops@example.com\n')
})

const noSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0
if (noSystemd && process.env['BANKAPI_TEST_NO_SKIP'] === '1')
  throw new Error('No systemd-analyze to test with')

test.skipIf(noSystemd)('the unit for systemd is valid', () => {
  program('bankapi', '')
  const path = join(home.folder, 'bankapi-sync.service')
  writeFileSync(path, unit.replace('/usr/bin/bankapi', join(home.folder, 'bin', 'bankapi')))
  // It prints what it does not know, and ends with 0 all the same.
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
