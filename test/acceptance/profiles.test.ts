import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHome, type Home } from '../support/cli.ts'
import { emulatorHome } from '../support/emulator-process.ts'
import { type SecretService, startSecretService, whyNoSecretService } from '../support/secret-service.ts'
import { createShell } from '../support/shell.ts'
import { openTerminal } from '../support/terminal.ts'

const emulator = emulatorHome()
const noKeychain = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' }

interface Accounts {
  readonly forgotten: readonly string[]
}

/** A home where acme is the emulator's sandbox base and globex its live base, each with its key in the file. */
async function twoCustomers(env: Record<string, string> = {}): Promise<Home> {
  const home = createHome({ env: { ...noKeychain, ...env } })
  for (const [name, mode, base] of [
    ['acme', 'sandbox', emulator.sandbox],
    ['globex', 'live', emulator.live],
  ] as const) {
    await home.json(['config', 'profile', 'add', name, '--mode', mode, '--base-url', base.base_url])
    const login = ['login', '--env', name, '--key-stdin', '--insecure-storage']
    await home.json(login, { input: base.api_key })
  }
  return home
}

describe('a profile', () => {
  it('is added, listed, used by name and by default, and removed', async () => {
    const { transcript } = createShell(createHome({ env: noKeychain }))
    expect(
      await transcript(
        'bankapi config profile list',
        'bankapi config profile add acme --mode sandbox --base-url https://api.example.com/v3',
        'bankapi config profile add globex --mode live',
        'bankapi config profile add acme --mode live',
        'bankapi config set default_environment acme',
        'bankapi config set environments.acme.client_id cli_acme',
        'bankapi config profile list --json',
        'bankapi whoami',
        'bankapi whoami --env globex',
        'bankapi whoami --env globx',
        'bankapi config profile remove acme',
        'bankapi config list',
        'bankapi config profile remove acme',
      ),
    ).toMatchInlineSnapshot(`
      "
      $ bankapi config profile list
      2> There are none. Add one: bankapi config profile add NAME --mode sandbox
      $ bankapi config profile add acme --mode sandbox --base-url https://api.example.com/v3
      ✓ acme (sandbox) at https://api.example.com/v3
      Store its key: bankapi login --env acme
      $ bankapi config profile add globex --mode live
      ✓ globex (live)
      Store its key: bankapi login --env globex --base-url https://…/v3
      $ bankapi config profile add acme --mode live
      2> Error: There is a profile acme already. Nothing was changed. (profile_exists)
      2> Try: What it has: bankapi config profile list
      2>      Another address: bankapi config set environments.acme.base_url https://…/v3
      [exit 2]
      $ bankapi config set default_environment acme
      default_environment:	acme
      $ bankapi config set environments.acme.client_id cli_acme
      environments.acme.client_id:	cli_acme
      $ bankapi config profile list --json
      {
        "data": [
          {
            "name": "acme",
            "mode": "sandbox",
            "base_url": "https://api.example.com/v3",
            "client_id": "cli_acme",
            "default": true
          },
          {
            "name": "globex",
            "mode": "live",
            "base_url": null,
            "client_id": null,
            "default": false
          }
        ]
      }
      $ bankapi whoami
      2> Error: The keychain of this machine cannot be used: Platform failure: DBus error: Failed to connect to socket /nonexistent: No such file or directory (unavailable)
      2> Try: Without a keychain: put the key in BANKAPI_API_KEY (a portal secret in BANKAPI_PORTAL_SECRET, a signing secret in BANKAPI_WEBHOOK_SECRET), or keep it in a file that only you can read: bankapi login --insecure-storage
      [exit 3]
      $ bankapi whoami --env globex
      2> Error: No address is known for globex. (base_url_missing)
      2> Try: Set it: bankapi config set environments.globex.base_url https://…/v3, or BANKAPI_BASE_URL for one command. To try without the bank: bankapi emulator start, then --env local
      [exit 2]
      $ bankapi whoami --env globx
      2> Error: The environment given by --env is none of local, sandbox, live, acme, globex. Did you mean globex? (unknown_environment)
      2> Try: Choose one: --env local, --env sandbox or --env live. An environment of your own: bankapi config profile add
      [exit 2]
      $ bankapi config profile remove acme
      Removed: acme
      2> Warning: the keychain could not be looked into: The keychain of this machine cannot be used: Platform failure: DBus error: Failed to connect to socket /nonexistent: No such file or directory
      $ bankapi config list
      environments.globex.mode:	live
      $ bankapi config profile remove acme
      2> Error: There is no profile of this name. (unknown_profile)
      2> Try: Those there are: bankapi config profile list
      [exit 2]
      "
    `)
  })

  it.each([
    ['live', 'is always there'],
    ['Sandbox', 'is always there'],
    ['LOCAL', 'is always there'],
    ['Acme', 'name'],
    ['../acme', 'name'],
    ['acme/api-key', 'name'],
    ['acme.eu', 'name'],
    ['acme-', 'name'],
    ['1acme', 'name'],
    ['nul', 'name'],
    ['__proto__', 'name'],
    ['a'.repeat(33), 'name'],
  ])(
    'cannot be named %s: names are parts of files and of keychain accounts (exit 2)',
    async (name, message) => {
      const home = createHome()
      const { code, stderr } = await home.run(['config', 'profile', 'add', '--mode', 'sandbox', '--', name])
      expect([code, stderr]).toEqual([2, expect.stringContaining('(invalid_profile)')])
      expect(stderr).toContain(message)
      expect(existsSync(join(home.folder, 'config', 'settings.json'))).toBe(false)
    },
  )

  it('keeps its mode: it is neither set nor unset, and nobody gives one to live by hand', async () => {
    const home = await twoCustomers()
    for (const change of [
      ['set', 'environments.acme.mode', 'live'],
      ['unset', 'environments.acme.mode'],
    ]) {
      const { code, stderr } = await home.run(['config', ...change])
      expect([code, stderr]).toEqual([2, expect.stringContaining('mode of a profile does not change')])
    }
    const file = join(home.folder, 'config', 'settings.json')
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    settings.environments.live = { mode: 'sandbox', base_url: emulator.live.base_url }
    writeFileSync(file, JSON.stringify(settings))
    const key = { BANKAPI_API_KEY: emulator.sandbox.api_key }
    const { code, stderr } = await home.run(['clients', 'list', '--env', 'live'], { env: key })
    expect([code, stderr]).toEqual([2, expect.stringContaining('live takes a live key')])
  })

  it('has the address of no environment of the other mode', async () => {
    const home = await twoCustomers()
    const add = ['config', 'profile', 'add', 'initech', '--mode', 'live', '--base-url']
    const refused = await home.run([...add, emulator.sandbox.base_url])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('that of acme')])
    // Two customers of one service share its address.
    await home.json([
      'config',
      'profile',
      'add',
      'initech',
      '--mode',
      'sandbox',
      '--base-url',
      emulator.sandbox.base_url,
    ])
    const { code, stderr } = await home.run([
      'whoami',
      '--env',
      'live',
      '--base-url',
      emulator.sandbox.base_url,
    ])
    expect([code, stderr]).toEqual([2, expect.stringContaining('(shared_address)')])
  })
})

describe('each profile has its own', () => {
  it('key, Client and mirror; whoami and doctor name it with its mode', async () => {
    const home = await twoCustomers()
    await home.json(['config', 'set', 'environments.acme.client_id', 'cli_demo'])
    expect(await home.json(['whoami', '--env', 'acme'])).toMatchObject({
      environment: 'acme',
      mode: 'sandbox',
      base_url: emulator.sandbox.base_url,
      key_source: 'file',
      accepted: true,
    })
    expect(await home.json(['whoami', '--env', 'globex'])).toMatchObject({ mode: 'live', accepted: true })
    const { data } = await home.json<{ data: object[] }>(['connections', 'list'], {
      env: { BANKAPI_ENV: 'acme' },
    })
    expect(data).toHaveLength(3)
    const other = await home.run(['connections', 'list', '--env', 'globex'])
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('client_missing')])
    const { checks } = await home.json<{ checks: { name: string; message: string }[] }>([
      'doctor',
      '--env',
      'globex',
    ])
    expect(checks.find(({ name }) => name === 'base_url')?.message).toBe(
      `globex, live (flag) is at ${emulator.live.base_url} (setting)`,
    )

    await home.json(['sync', '--env', 'acme', '--only', 'transactions'])
    const mirror = join(home.folder, 'data', 'mirror-acme.sqlite')
    expect(existsSync(mirror)).toBe(true)
    expect(await home.json(['config', 'profile', 'remove', 'acme', '--yes'])).toMatchObject({ mirror })
    // One of the same name at another address does not read it as its own.
    await home.run([
      ...['config', 'profile', 'add', 'acme', '--mode', 'live', '--base-url', 'https://live.example.com/v3'],
    ])
    const query = ['sync', 'query', 'select count(*) from clients', '--env', 'acme']
    const refused = await home.run(query)
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('(other_environment)')])
    expect((await home.run([...query, '--to', mirror])).code).toBe(0)
    await home.run(['config', 'profile', 'remove', 'acme', '--yes'])
  })

  it('inbox: an operation of one is not one of another', async () => {
    const home = await twoCustomers()
    await home.json(['connections', 'refresh', 'con_FDE_123', '--env', 'acme'])
    const of = async (name: string) =>
      (await home.json<{ data: object[] }>(['operations', 'list', '--env', name])).data.length
    expect([await of('acme'), await of('globex')]).toEqual([1, 0])
  })

  it('settings: environments.<name>.<setting> goes before the one for all', async () => {
    const home = await twoCustomers()
    await home.json(['config', 'set', 'sync.to', join(home.folder, 'all.sqlite')])
    await home.json(['config', 'set', 'environments.acme.sync.to', join(home.folder, 'acme.sqlite')])
    await home.json(['sync', '--env', 'acme', '--only', 'transactions'])
    expect(readdirSync(home.folder)).toContain('acme.sqlite')
    expect(readdirSync(home.folder)).not.toContain('all.sqlite')
    const overridden = ['config', 'set', 'environments.acme.endpoints.health.check', 'GET /elsewhere']
    await home.json(overridden)
    expect((await home.run(['health', '--env', 'acme'])).code).not.toBe(0)
    expect((await home.run(['health', '--env', 'globex'])).code).toBe(0)
  })
})

describe('sandbox and live rules follow the mode', () => {
  let base: string
  let requests = 0
  const server = createServer((_request, response) => {
    requests++
    response
      .setHeader('content-type', 'application/json')
      .end('{"data":[],"has_more":false,"next_cursor":null}')
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
  })
  afterAll(() => void server.close())

  it.each([
    ['sandbox', 'sk_live_0123456789', 'sk_test_0123456789'],
    ['live', 'sk_test_0123456789', 'sk_live_0123456789'],
  ])(
    'a %s profile refuses a key of the other mode before anything is sent (exit 2)',
    async (mode, wrong, right) => {
      const home = createHome()
      await home.json(['config', 'profile', 'add', 'acme', '--mode', mode, '--base-url', base])
      requests = 0
      const list = (key: string) =>
        home.run(['clients', 'list', '--env', 'acme'], { env: { BANKAPI_API_KEY: key } })
      const { code, stderr } = await list(wrong)
      expect([code, stderr]).toEqual([2, expect.stringContaining('wrong_environment')])
      expect(requests).toBe(0)
      expect((await list(right)).code).toBe(0)
    },
  )

  it('live has its banner on a terminal, whatever its name; sandbox has none', async () => {
    const home = await twoCustomers()
    const shell = createShell(home)
    const banner = 'this acts on real data'
    const shown = async (name: string) =>
      (await openTerminal(shell, `bankapi clients list --env ${name}`).ended).screen
    expect(await shown('globex')).toContain(`globex (live): ${banner}`)
    expect(await shown('acme')).not.toContain(banner)
  })

  it('an event that webhooks trigger makes says the mode in livemode', async () => {
    const home = await twoCustomers()
    const bodies: string[] = []
    const receiver = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text))
      request.on('end', () => response.end())
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const env = { BANKAPI_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }
    for (const name of ['acme', 'globex']) {
      const { code, stderr } = await home.run(
        ['webhooks', 'trigger', 'webhook.test', '--to', to, '--env', name],
        { env },
      )
      expect(code, stderr).toBe(0)
    }
    receiver.close()
    expect(bodies.map((body) => JSON.parse(body).livemode)).toEqual([false, true])
  })

  it('what revokes asks first, on either: without somebody to ask nothing is done (exit 2)', async () => {
    const home = await twoCustomers()
    const { code, stderr } = await home.run(['logout', '--env', 'globex'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('globex')])
    expect(await home.json(['whoami', '--env', 'globex', '--offline'])).toMatchObject({ key_source: 'file' })
    expect(await home.json<Accounts>(['logout', '--env', 'globex', '--yes'])).toMatchObject({
      environment: 'globex',
      forgotten: ['globex/api-key'],
    })
    expect(await home.json(['whoami', '--env', 'acme', '--offline'])).toMatchObject({ key_source: 'file' })
  })
})

describe('removing a profile', () => {
  it('with stored secrets asks, and removes its own only', async () => {
    const home = await twoCustomers()
    await home.json(['config', 'set', 'default_environment', 'acme'])
    const credentials = join(home.folder, 'config', 'credentials.json')
    const asked = await home.run(['config', 'profile', 'remove', 'acme'])
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('acme/api-key')])
    expect(Object.keys(JSON.parse(readFileSync(credentials, 'utf8')))).toContain('acme/api-key')

    expect(await home.json(['config', 'profile', 'remove', 'acme', '--yes'])).toEqual({
      name: 'acme',
      removed: true,
      forgotten: ['acme/api-key'],
      mirror: null,
    })
    expect(Object.keys(JSON.parse(readFileSync(credentials, 'utf8')))).toEqual(['globex/api-key'])
    const addresses = readFileSync(join(home.folder, 'config', 'addresses.json'), 'utf8')
    expect(Object.keys(JSON.parse(addresses))).toEqual(['globex/api-key'])
    expect(await home.json(['config', 'list'])).toEqual({
      'environments.globex.base_url': emulator.live.base_url,
      'environments.globex.mode': 'live',
    })
    expect((await home.run(['whoami', '--env', 'acme'])).stderr).toContain('unknown_environment')
  })

  it('is not possible for one of the three', async () => {
    const { code, stderr } = await createHome().run(['config', 'profile', 'remove', 'live', '--yes'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('unknown_profile')])
  })

  it('works without a keychain when it has no secrets, and not when one may be in a keychain that does not answer', async () => {
    const home = createHome({ env: noKeychain })
    const add = [
      'config',
      'profile',
      'add',
      'acme',
      '--mode',
      'sandbox',
      '--base-url',
      'https://a.example.com/v3',
    ]
    await home.json(add)
    expect((await home.run(['config', 'profile', 'remove', 'acme'])).code).toBe(0)

    await home.json(add)
    const addresses = join(home.folder, 'config', 'addresses.json')
    writeFileSync(addresses, '{"acme/api-key":"https://a.example.com/v3"}')
    chmodSync(addresses, 0o600)
    const { code, stderr } = await home.run(['config', 'profile', 'remove', 'acme', '--yes'])
    expect([code, stderr]).toEqual([3, expect.stringContaining('keychain')])
    expect(await home.json(['config', 'profile', 'list'])).toMatchObject({ data: [{ name: 'acme' }] })
  })

  const missing = whyNoSecretService()
  describe.skipIf(missing !== undefined)(`with a keychain${missing ? `: ${missing}` : ''}`, () => {
    let service: SecretService
    beforeAll(async () => {
      service = await startSecretService()
    })
    afterAll(() => service.stop())

    it('takes its accounts out of it, and leaves those of an environment whose name begins alike', async () => {
      const home = createHome({ env: service.env })
      const { base_url, api_key } = emulator.sandbox
      for (const name of ['acme', 'acme-eu']) {
        await home.json(['config', 'profile', 'add', name, '--mode', 'sandbox', '--base-url', base_url])
        await home.json(['login', '--env', name, '--key-stdin'], { input: api_key })
      }
      expect(await home.json(['whoami', '--env', 'acme'])).toMatchObject({ key_source: 'keychain' })
      const removed = await home.json<Accounts>(['config', 'profile', 'remove', 'acme', '--yes'])
      expect(removed.forgotten).toEqual(['acme/api-key'])
      const { text } = await service.secretTool(['search', '--all', 'service', 'bankapi'])
      expect(text).toContain('acme-eu/api-key')
      expect(text).not.toContain('acme/api-key')
    })
  })
})

describe('ids that commands have read', () => {
  const known = async (home: Home, name: string, ...kinds: string[]) => {
    // Nothing listens there: the words come from files.
    const env = { BANKAPI_BASE_URL: 'http://127.0.0.1:9/v3' }
    const { code, stdout, stderr } = await home.run(['completion', 'values', ...kinds, '--env', name], {
      env,
    })
    expect([code, stderr]).toEqual([0, ''])
    return stdout.split('\n').filter((line) => line !== '')
  }

  it('complete in their environment, from files, without names', async () => {
    const home = await twoCustomers()
    const list = ['connections', 'list', '--client', 'cli_demo', '--env', 'acme']
    await home.json(list)
    await home.run([...list, '--all', '-o', 'ndjson'])
    await home.json(['connections', 'refresh', 'con_FDE_123', '--env', 'acme'])
    expect((await known(home, 'acme', 'con')).sort()).toEqual([
      'con_AGGREGATOR_A_1001',
      'con_AGGREGATOR_B_2001',
      'con_FDE_123',
    ])
    expect(await known(home, 'acme', 'op')).toHaveLength(1)
    expect(await known(home, 'globex', 'con', 'op')).toEqual([])
    expect(await known(home, 'nobody', 'con')).toEqual([])
    const file = readFileSync(join(home.folder, 'data', 'known-ids-acme.json'), 'utf8')
    expect(file).not.toContain('Fir Bank')
    expect(file).not.toContain('sk_test_')
  })

  it.each([
    ['logout', ['logout', '--yes']],
    ['config profile remove', ['config', 'profile', 'remove', 'acme', '--yes']],
    ['sync forget', ['sync', 'forget', 'cli_demo', '--yes']],
  ])('%s forgets those of its environment', async (command, args) => {
    const home = await twoCustomers()
    const env = { BANKAPI_ENV: 'acme' }
    await home.json(['sync', '--only', 'transactions'], { env })
    await home.json(['webhooks', 'list', '--env', 'globex'])
    await home.json(['clients', 'list', '--env', 'globex'])
    expect(await known(home, 'acme', 'cli', 'acc')).toContain('cli_demo')
    await home.json(args, { env: command === 'config profile remove' ? {} : env })
    expect(existsSync(join(home.folder, 'data', 'known-ids-acme.json'))).toBe(false)
    expect(existsSync(join(home.folder, 'data', 'known-ids-globex.json'))).toBe(true)
  })
})
