import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder, testMachine } from '../../test/support/machine.ts'
import type { Machine } from '../machine/machine.ts'
import { openSettings } from './settings.ts'

function setUp(changes: Partial<Machine> = {}) {
  const folder = temporaryFolder()
  const machine = testMachine({ BANKAPI_CONFIG_DIR: folder }, changes)
  const warnings: string[] = []
  const open = () => openSettings(machine, (warning) => warnings.push(warning))
  return { folder, file: join(folder, 'settings.json'), machine, warnings, open }
}

const stored = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))

test('what is set is there for the next process, in a 0600 file of nested objects', async () => {
  const { file, open } = setUp()
  const settings = await open()
  await settings.set('default_environment', 'local')
  await settings.set('environments.sandbox.base_url', 'https://api.example.com/v3')
  await settings.set('endpoints.reports.generate', 'POST /reports/{client_id}')
  await settings.set('output.utc', 'true')

  expect(stored(file)).toEqual({
    default_environment: 'local',
    environments: { sandbox: { base_url: 'https://api.example.com/v3' } },
    endpoints: { reports: { generate: 'POST /reports/{client_id}' } },
    output: { utc: true },
  })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const next = await open()
  expect(next.get('output.utc')).toBe(true)
  expect(next.list()).toEqual({
    default_environment: 'local',
    'endpoints.reports.generate': 'POST /reports/{client_id}',
    'environments.sandbox.base_url': 'https://api.example.com/v3',
    'output.utc': true,
  })
  expect(next.path).toBe(file)
})

test('reading creates nothing', async () => {
  const folder = join(temporaryFolder(), 'not-there')
  const settings = await openSettings(testMachine({ BANKAPI_CONFIG_DIR: folder }), () => {})
  expect(settings.get('pager')).toBeUndefined()
  expect(settings.list()).toEqual({})
  expect(existsSync(folder)).toBe(false)
})

test('unset says whether it was set, and leaves no empty objects', async () => {
  const { file, open } = setUp()
  const settings = await open()
  await settings.set('environments.live.client_id', 'cli_1')
  await settings.set('pager', 'less -R')
  expect(await settings.unset('environments.live.client_id')).toBe(true)
  expect(await settings.unset('environments.live.client_id')).toBe(false)
  expect(stored(file)).toEqual({ pager: 'less -R' })
})

test.each([
  ['default_enviroment', 'Did you mean default_environment?'],
  ['environments.sandbox.baseurl', 'Did you mean environments.sandbox.base_url?'],
  ['environments.prod.base_url', 'There is no setting'],
  ['environments', 'There is no setting'],
  ['__proto__.polluted', 'There is no setting'],
  ['endpoints.__proto__.x', 'There is no setting'],
])('an unknown setting is refused, with those there are: %s', async (name, message) => {
  const settings = await setUp().open()
  const refused = { code: 'unknown_setting', message: expect.stringContaining(message) }
  await expect(settings.set(name, 'x')).rejects.toMatchObject(refused)
  await expect(settings.unset(name)).rejects.toMatchObject(refused)
  expect(() => settings.get(name)).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('environments.<env>.base_url, ') }),
  )
})

test.each([
  ['default_environment', 'prod'],
  ['environments.live.base_url', 'http://api.example.com/v3'],
  ['environments.live.client_id', ''],
  ['endpoints.reports.generate', '/reports'],
  ['endpoints.reports.generate', 'POST https://evil.example/'],
  ['endpoints.health.check', 'GET {origin}/healthz'],
  ['inbox.keep', '30'],
  ['inbox.keep', '0d'],
  ['inbox.max_size', '0gb'],
  ['inbox.max_size', '1000'],
  ['pager', 'less\u001b[0m'],
  ['output.utc', 'maybe'],
  ['upload.encoding', 'base64'],
])('a value that does not fit is refused, and nothing is written: %s', async (name, value) => {
  const { file, open } = setUp()
  const settings = await open()
  const error = await settings.set(name, value).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code: 'invalid_setting',
    message: expect.stringContaining(`The value of ${name}`),
  })
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['endpoints.accounts.get', 'GET /accounts/{account_id}', 'invalid_setting', 'GET /accounts/{account_id}'],
  [
    'environments.live.endpoints.accounts.get',
    'GET /x/{account_id}',
    'invalid_setting',
    'the reference shows',
  ],
  ['endpoints.health.chek', 'GET /up', 'unknown_setting', 'Did you mean endpoints.health.check?'],
  ['endpoints.reports.generate', 'POST /reports', 'invalid_setting', 'exactly {client_id}'],
  ['endpoints.health.check', 'GET {root}/../up', 'invalid_setting', 'GET {root}/healthz'],
  ['endpoints.keys.create', 'GET /keys', 'invalid_setting', 'a GET'],
  ['endpoints.health.check', 'GET /x/{id}', 'invalid_setting', 'check must have no {parameter} in its path.'],
  ['endpoints.health.check', 'GET /x/{root}/y', 'invalid_setting', '{root} only at the beginning'],
  ['endpoints.health.check', 'GET {root}/x/{root}/y', 'invalid_setting', '{root} only at the beginning'],
])('an endpoint is checked against the contract at once: %s %s', async (name, value, code, text) => {
  const { file, open } = setUp()
  const error: unknown = await (await open()).set(name, value).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    code,
    exit: 'usage',
    message: expect.stringContaining(text),
    hint: expect.stringContaining('reports.generate'),
  })
  expect(existsSync(file)).toBe(false)
})

test('endpoints in a file that cannot be used are named when listed, passed on to be refused, and can be unset', async () => {
  const { file, open } = setUp()
  const endpoints = {
    accounts: { get: 'GET /x/{account_id}' },
    health: { check: 'up' },
    keys: { list: {} },
    webhooks: { test: 'POST /{subscription_id}' },
  }
  const environments = {
    live: { endpoints: { health: { check: 'GET {root}/up' }, nothing: { there: 'GET /' } } },
  }
  writeFileSync(file, JSON.stringify({ endpoints, environments }), { mode: 0o600 })
  const settings = await open()
  const inFile = (name: string) => expect.stringMatching(new RegExp(`${name} in .*settings.json`))
  expect(await settings.problems()).toEqual([
    inFile('endpoints.accounts.get'),
    inFile('endpoints.health.check'),
    inFile('endpoints.keys.list'),
    inFile('environments.live.endpoints.nothing.there"'),
  ])
  expect(settings.overrides()).toEqual({
    'accounts.get': 'GET /x/{account_id}',
    'health.check': 'up',
    'keys.list': '[object Object]',
    'webhooks.test': 'POST /{subscription_id}',
  })
  expect(settings.in('live').overrides()).toMatchObject({
    'health.check': 'GET {root}/up',
    'webhooks.test': 'POST /{subscription_id}',
  })
  expect(await settings.unset('endpoints.accounts.get')).toBe(true)
  expect(await settings.unset('environments.live.endpoints.nothing.there')).toBe(true)
})

test.each([
  ['endpoints.redirectUrls.get', 'POST /settings/redirect-urls', 'redirectUrls.set'],
  ['endpoints.health.check', 'GET /clients', 'clients.list'],
  ['endpoints.health.check', 'GET {root}/v3/clients', 'clients.list'],
  ['environments.live.endpoints.health.check', 'GET /clients', 'clients.list'],
  ['endpoints.webhooks.get', 'PATCH /api-keys/{subscription_id}', 'keys.updateScopes'],
])('the method and path of another operation are refused: %s %s', async (name, value, other) => {
  const { file, open } = setUp()
  await expect((await open()).set(name, value)).rejects.toMatchObject({
    code: 'invalid_setting',
    message: `${name} has the method and path of ${other}.`,
  })
  expect(existsSync(file)).toBe(false)
})

test('an endpoint may have its own method and path, another method at the path of another, and that path beside /v3', async () => {
  const settings = await setUp().open()
  for (const value of ['GET /health', 'DELETE /clients', 'GET {root}/clients']) {
    await settings.set('endpoints.health.check', value)
    expect(settings.overrides()).toEqual({ 'health.check': value })
  }
})

test('endpoints in dotted keys are ignored, and each is named once when listed', async () => {
  const { file, open } = setUp()
  const endpoints = {
    'health.check': 'GET /up',
    'nope.nope': 'GET /x',
    'keys.list': {},
    webhooks: { 'test.it': 'POST /{subscription_id}' },
    reports: 'POST /reports/{client_id}',
  }
  const environments = { live: { endpoints: { 'health.check': 'GET /live' } } }
  writeFileSync(file, JSON.stringify({ endpoints, environments }), { mode: 0o600 })
  const settings = await open()
  expect(settings.overrides()).toEqual({})
  expect(settings.in('live').overrides()).toEqual({})
  expect(settings.list()).toEqual({})
  const problems = await settings.problems()
  expect(problems.filter((one) => one.includes('is one key'))).toEqual([
    expect.stringContaining('"endpoints.health.check"'),
    expect.stringContaining('"endpoints.nope.nope"'),
    expect.stringContaining('"endpoints.keys.list"'),
    expect.stringContaining('"environments.live.endpoints.health.check"'),
  ])
  expect(problems).toHaveLength(6)
})

test('a dotted key beside nested objects of the same name is named, and the nested value is in force', async () => {
  const { file, open } = setUp()
  const endpoints = { 'health.check': 'rubbish', health: { check: 'GET /up' } }
  writeFileSync(file, JSON.stringify({ endpoints }), { mode: 0o600 })
  const settings = await open()
  expect(settings.overrides()).toEqual({ 'health.check': 'GET /up' })
  expect(settings.list()).toEqual({ 'endpoints.health.check': 'GET /up' })
  expect(await settings.problems()).toEqual([
    `"endpoints.health.check" in ${file} is one key; write it as nested objects.`,
  ])
})

test('a secret pasted as a value that does not fit is not repeated', async () => {
  const settings = await setUp().open()
  for (const name of [
    'default_environment',
    'environments.live.base_url',
    'endpoints.a.b',
    'inbox.keep',
    'inbox.max_size',
    'output.utc',
  ]) {
    const error: unknown = await settings.set(name, 'sk_live_pasted').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'invalid_setting' })
    expect(JSON.stringify(error) + String(error)).not.toContain('sk_live_pasted')
  }
})

test('a read-only home: reads go on, writes say so', async () => {
  const { folder, file, warnings, open } = setUp(asSomebody())
  await (await open()).set('pager', 'less')
  chmodSync(folder, 0o500)
  const settings = await open()
  expect(settings.get('pager')).toBe('less')
  await expect(settings.set('pager', 'more')).rejects.toMatchObject({ code: 'not_writable' })
  chmodSync(folder, 0o700)
  writeFileSync(file, 'oops')
  chmodSync(folder, 0o500)
  expect((await open()).get('pager')).toBeUndefined()
  expect(warnings).toEqual([expect.stringContaining('stay there')])
  chmodSync(folder, 0o700)
})

/** Root may write anywhere: for the rest of the test it is nobody. */
function asSomebody(): Partial<Machine> {
  const { geteuid, seteuid } = process
  if (geteuid?.() !== 0 || seteuid === undefined) return {}
  seteuid(65_534)
  onTestFinished(() => seteuid(0))
  return { uid: 65_534 }
}

test('a secret pasted as the name of a setting is not repeated', async () => {
  const settings = await setUp().open()
  await expect(settings.set('sk_live_pasted', 'x')).rejects.toThrow(/^There is no setting of that name\.$/)
})

test('a corrupted file is kept aside under its time, said so, and everything works again', async () => {
  const { folder, file, warnings, open } = setUp()
  for (const text of ['{"pager": "le', '', '[1]', 'null']) {
    writeFileSync(file, text)
    const settings = await open()
    expect(settings.list()).toEqual({})
    await settings.set('pager', 'more')
    expect((await open()).get('pager')).toBe('more')
  }
  const aside = readdirSync(folder).filter((name) => name.includes('corrupt'))
  expect(aside.sort()).toEqual([
    'settings.json.corrupt-20260102T030405Z',
    'settings.json.corrupt-20260102T030405Z-2',
    'settings.json.corrupt-20260102T030405Z-3',
    'settings.json.corrupt-20260102T030405Z-4',
  ])
  expect(readFileSync(join(folder, 'settings.json.corrupt-20260102T030405Z'), 'utf8')).toBe('{"pager": "le')
  expect(warnings).toHaveLength(4)
  expect(warnings[0]).toContain(`kept as ${file}.corrupt-20260102T030405Z`)
})

test('a file corrupted while a command runs is kept aside at the next write', async () => {
  const { folder, file, warnings, open } = setUp()
  const settings = await open()
  writeFileSync(file, 'oops')
  await settings.set('pager', 'more')
  expect(warnings).toHaveLength(1)
  expect(readFileSync(join(folder, 'settings.json.corrupt-20260102T030405Z'), 'utf8')).toBe('oops')
})

test('a corrupted file that cannot be moved is ignored and said so; commands go on', async () => {
  const { folder, file, warnings, open } = setUp()
  writeFileSync(file, 'oops')
  mkdirSync(join(folder, '.lock'))
  const settings = await open()
  expect(settings.list()).toEqual({})
  expect(warnings).toEqual([
    expect.stringMatching(/are ignored; they stay there\. .*\.lock cannot be locked/),
  ])
  expect(readFileSync(file, 'utf8')).toBe('oops')
})

test('what somebody wrote by hand: nonsense is named when used, unknown names are kept', async () => {
  const { file, open } = setUp()
  writeFileSync(
    file,
    JSON.stringify({ default_environment: 'prod', future: { x: 1 }, 'output.utc': true, pager: 'less' }),
    { mode: 0o600 },
  )
  const settings = await open()
  expect(() => settings.get('default_environment')).toThrow(
    expect.objectContaining({ code: 'invalid_setting', message: expect.stringContaining(file) }),
  )
  expect(settings.list()).toEqual({ pager: 'less' })
  expect(await settings.problems()).toHaveLength(3)
  await settings.set('default_environment', 'live')
  expect(stored(file)).toMatchObject({ default_environment: 'live', future: { x: 1 } })
})

test.each([
  [{ default_environment: {} }, 'default_environment'],
  [{ pager: { command: 'less' } }, 'pager'],
  [{ inbox: { keep: {} } }, 'inbox.keep'],
])('an object in the place of a value is named, when used and when listed: %j', async (content, name) => {
  const { file, open } = setUp()
  writeFileSync(file, JSON.stringify(content), { mode: 0o600 })
  const settings = await open()
  const message = expect.stringContaining(`The value of ${name} in ${file} `)
  expect(await settings.problems()).toEqual([message])
  expect(settings.list()).toEqual({})
  expect(() => settings.get(name)).toThrow(expect.objectContaining({ code: 'invalid_setting', message }))
})

test('a link in the place of the file is refused', async () => {
  const { folder, file, open } = setUp()
  writeFileSync(join(folder, 'real.json'), '{}', { mode: 0o600 })
  symlinkSync(join(folder, 'real.json'), file)
  await expect(open()).rejects.toMatchObject({ code: 'unsafe_file' })
})

test('a file that others can write is refused', async () => {
  const { file, open } = setUp()
  writeFileSync(file, '{"pager":"rm -rf /"}')
  chmodSync(file, 0o622)
  await expect(open()).rejects.toMatchObject({ code: 'unsafe_file' })
})

test('two processes writing at once: neither loses what the other stored', async () => {
  const { folder, open } = setUp()
  const writer = (letter: string): Promise<number | null> => {
    const code = `
      import { openSettings } from ${JSON.stringify(new URL('settings.ts', import.meta.url).href)}
      import { machineOf } from ${JSON.stringify(new URL('../machine/machine.ts', import.meta.url).href)}
      const settings = await openSettings(machineOf(process), console.error)
      for (let i = 0; i < 25; i++) await settings.addProfile({ name: '${letter}' + i, mode: 'sandbox' })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: { BANKAPI_CONFIG_DIR: folder },
      stdio: 'inherit',
    })
    return new Promise((resolve) => child.on('close', resolve))
  }
  expect(await Promise.all(['a', 'b', 'c', 'd'].map(writer))).toEqual([0, 0, 0, 0])
  expect(Object.keys((await open()).list())).toHaveLength(100)
})

test('a process killed while it held the lock blocks nobody, and its unfinished file goes away', async () => {
  const { folder, open } = setUp()
  const code = `
    import { writeFileSync } from 'node:fs'
    import { withFolderLock } from ${JSON.stringify(new URL('../machine/folder-lock.ts', import.meta.url).href)}
    import { machineOf } from ${JSON.stringify(new URL('../machine/machine.ts', import.meta.url).href)}
    await withFolderLock(machineOf(process), ${JSON.stringify(folder)}, () => {
      writeFileSync(${JSON.stringify(join(folder, 'settings.json.0123456789ab.tmp'))}, 'half')
      process.kill(process.pid, 'SIGKILL')
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code])
  await new Promise((resolve) => child.on('close', resolve))
  expect(child.signalCode).toBe('SIGKILL')
  expect(existsSync(join(folder, 'settings.json.0123456789ab.tmp'))).toBe(true)

  const started = performance.now()
  await (await open()).set('pager', 'less')
  expect(performance.now() - started).toBeLessThan(2000)
  expect(readdirSync(folder).sort()).toEqual(['.lock', 'settings.json'])
})

test('a process that keeps the lock: an error after five seconds, and nothing changed', async () => {
  const { folder, file, open } = setUp()
  const code = `
    import { withFolderLock } from ${JSON.stringify(new URL('../machine/folder-lock.ts', import.meta.url).href)}
    import { machineOf } from ${JSON.stringify(new URL('../machine/machine.ts', import.meta.url).href)}
    await withFolderLock(machineOf(process), ${JSON.stringify(folder)}, () => {
      console.log('held')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000)
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code])
  const gone = new Promise((resolve) => child.on('close', resolve))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const settings = await open()
  await expect(settings.set('pager', 'less')).rejects.toMatchObject({ code: 'settings_busy' })
  expect(existsSync(file)).toBe(false)
  child.kill('SIGKILL')
  await gone
})

test('a profile is an environment with a mode: its settings are known while it is there', async () => {
  const { file, open } = setUp()
  const settings = await open()
  const own = 'environments.acme.inbox.keep'
  expect(() => settings.get(own)).toThrow(expect.objectContaining({ code: 'unknown_setting' }))
  await settings.addProfile({ name: 'acme', mode: 'live' }, 'https://api.example.com/v3/')
  await settings.set(own, '7d')
  await settings.set('inbox.keep', '30d')
  await settings.set('default_environment', 'acme')
  expect(stored(file)).toMatchObject({
    environments: { acme: { mode: 'live', base_url: 'https://api.example.com/v3', inbox: { keep: '7d' } } },
  })
  const next = await open()
  expect(next.profiles).toEqual([{ name: 'acme', mode: 'live' }])
  expect([next.in('acme').get('inbox.keep'), next.in('live').get('inbox.keep')]).toEqual(['7d', '30d'])
  expect(next.in('acme').get('default_environment')).toBe('acme')
  await expect(next.set(own, 'soon')).rejects.toMatchObject({ code: 'invalid_setting' })
  await expect(next.set('environments.acme.default_environment', 'live')).rejects.toMatchObject({
    code: 'unknown_setting',
  })
  await next.removeProfile('acme')
  expect(stored(file)).toEqual({ inbox: { keep: '30d' } })
  expect(next.in('acme').get('inbox.keep')).toBe('30d')
})

test('what is written into the file by hand is a profile only with a possible name and mode', async () => {
  const { file, open } = setUp()
  const modes = {
    acme: 'sandbox',
    Acme: 'live',
    '../x': 'live',
    live: 'sandbox',
    globex: 'production',
    con: 'live',
  }
  const environments = Object.fromEntries(Object.entries(modes).map(([name, mode]) => [name, { mode }]))
  writeFileSync(file, JSON.stringify({ environments }), { mode: 0o600 })
  const settings = await open()
  expect(settings.profiles).toEqual([{ name: 'acme', mode: 'sandbox' }])
  expect(await settings.problems()).toHaveLength(5)
})
