/** The servers of docs/receive-webhooks.md, started with the file that `webhooks listen --write-env` wrote. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../support/built-program.ts'
import { emulatorHome } from '../support/emulator-process.ts'
import { freePort } from '../support/free-port.ts'
import { webhooksExample } from '../support/webhooks-page.ts'

const home = emulatorHome()

const servers = {
  node: {
    file: 'server.mjs',
    code: () => webhooksExample('js', 'bankapi/webhooks'),
    start: `exec '${process.execPath}' --env-file=.env server.mjs`,
  },
  python: {
    file: 'server.py',
    code: () => webhooksExample('python', 'hmac'),
    start: 'set -a; . ./.env; exec python3 -u server.py',
  },
} as const

/** With BANKAPI_TEST_NO_SKIP=1 a missing interpreter fails. */
function isMissing(language: keyof typeof servers): boolean {
  const missing = language === 'python' && spawnSync('python3', ['--version']).status !== 0
  if (missing && process.env['BANKAPI_TEST_NO_SKIP'] === '1') throw new Error('there is no python3')
  return missing
}

for (const language of ['node', 'python'] as const) {
  const skipped = isMissing(language)
  it.skipIf(skipped)(
    `a server in ${language}, started with --write-env, verifies what listen forwards${skipped ? ' (there is no python3)' : ''}`,
    async () => {
      const { file, code, start } = servers[language]
      const port = await freePort()
      const project = join(home.folder, 'project')
      mkdirSync(join(project, 'node_modules'), { recursive: true })
      symlinkSync(root, join(project, 'node_modules', 'bankapi'))
      writeFileSync(join(project, file), code().replace('3000', String(port)))
      const env = join(project, '.env')
      writeFileSync(env, '# of this project\nOTHER=1\n', { mode: 0o644 })

      const listener = home.start([
        ...['webhooks', 'listen', '--json', '--port', '0', '--forward', String(port), '--write-env', env],
      ])
      await listener.line((line) => line.includes('"ready"'))
      expect(readFileSync(env, 'utf8')).toMatch(
        /^# of this project\nOTHER=1\nBANKAPI_WEBHOOK_SECRET=whsec_\w+\n$/,
      )
      expect(statSync(env).mode & 0o777).toBe(0o600)
      const server = spawn('sh', ['-c', start], {
        cwd: project,
        env: home.env,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      onTestFinished(() => void server.kill())
      let said = ''
      server.stdout.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
      await expect
        .poll(async () => (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined))?.status)
        .toBeGreaterThan(400)

      await home.json(['emulator', 'trigger', 'connection.active', '--connection', 'con_AGGREGATOR_A_1001'])
      const line = await listener.line((text) => text.includes('"connection.active"'))
      expect(JSON.parse(line)).toMatchObject({ verified: true, forward: { status: 200 } })
      await expect.poll(() => said).toContain('con_AGGREGATOR_A_1001')
      const foreign = { BANKAPI_WEBHOOK_SECRET: 'whsec_another' }
      const to = ['--to', String(port)]
      const refused = await home.run(['webhooks', 'trigger', 'connection.active', ...to], { env: foreign })
      expect(refused.stdout).toMatch(/^401 /)
      const late = await home.run(['webhooks', 'trigger', 'connection.active', '--age', '6m', ...to], {
        env: { BANKAPI_WEBHOOK_SECRET: /whsec_\w+/.exec(readFileSync(env, 'utf8'))?.[0] },
      })
      expect(late.stdout).toMatch(/^401 /)
      expect(listener.stdout() + listener.stderr()).not.toContain('whsec_')
    },
  )
}

it('--print-secret prints the secret after Ready, with --json in its object; nothing else ever does', async () => {
  const lines = home.start(['webhooks', 'listen', '--port', '0', '--print-secret'])
  const secret = await lines.line((line) => line.includes('whsec_'))
  expect(lines.stdout()).toMatch(
    /^Ready: http:\/\/127\.0\.0\.1:\d+\/ \(local, whk_\w+\)\n {2}signing secret {2}whsec_/,
  )
  expect(secret).toMatch(/^ {2}signing secret {2}whsec_\w+$/)
  const json = home.start(['webhooks', 'listen', '--port', '0', '--print-secret', '--json'])
  expect(JSON.parse(await json.line())).toMatchObject({
    ready: true,
    environment: 'local',
    signing_secret: expect.stringMatching(/^whsec_\w+$/),
  })
  const neither = home.start(['webhooks', 'listen', '--port', '0', '--json'])
  expect(JSON.parse(await neither.line())).not.toHaveProperty('signing_secret')
})

it('a secret that is given goes into the file, too; a file that cannot be written ends the listener (exit 2)', async () => {
  const env = join(home.folder, 'mine.env')
  const given = { BANKAPI_WEBHOOK_SECRET: 'whsec_given' }
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--write-env', env], { env: given })
  await listener.line()
  expect(readFileSync(env, 'utf8')).toBe('BANKAPI_WEBHOOK_SECRET=whsec_given\n')
  const nowhere = join(home.folder, 'nowhere', '.env')
  const { code, stderr } = await home.run(['webhooks', 'listen', '--port', '0', '--write-env', nowhere])
  expect(code).toBe(2)
  expect(stderr).toContain('cannot be written (ENOENT)')
  expect(await home.json(['webhooks', 'list'])).toMatchObject({ data: [] })
})

it('with a secret but no environment it says into which inbox it files, and as what', async () => {
  // Without the emulator, which would make it `local`.
  const data = join(home.folder, 'without-emulator')
  const given = { BANKAPI_WEBHOOK_SECRET: 'whsec_given', BANKAPI_ENV: '', BANKAPI_DATA_DIR: data }
  const listen = (...flags: string[]) =>
    home.start(['webhooks', 'listen', '--port', '0', ...flags], { env: given })
  const unnamed = listen()
  expect(await unnamed.line()).toMatch(/\(sandbox\)$/)
  expect(unnamed.stderr()).toBe(
    `No environment is named: deliveries are filed as sandbox in ${join(data, 'inbox.sqlite')}. Another one: --env\n`,
  )
  const named = listen('--env', 'live')
  expect(await named.line()).toMatch(/\(live\)$/)
  expect(named.stderr()).toBe('')
})
