import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { envelope, type Heard, json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { keys } from '../support/terminal.ts'

const emulator = emulatorShell()

/** Creates a key for a test, with these scopes. */
async function createKey(scopes: string): Promise<{ id: string; secret: string }> {
  return JSON.parse(await emulator.text(`bankapi keys create --scopes ${scopes} --json`))
}
const scopesOf = async (id: string): Promise<string> =>
  emulator.text(`bankapi keys list --all --jq '.data[] | select(.id == "${id}") | .scopes | join(",")'`)

it.each([
  ['--jq .id', 0],
  ['--columns id', 0],
  ["--jq '.id | error'", 2],
])('the plaintext is printed although %s leaves it out', async (chosen, exit) => {
  const { code, stdout, stderr } = await emulator.run(`bankapi keys create --scopes read:clients ${chosen}`)
  expect([code, stdout]).toEqual([exit, expect.stringMatching(/sk_test_\w+/)])
  expect(stderr).toContain('everything that came is printed')
})

it.skipIf(!existsSync('/dev/full'))('a key whose plaintext cannot be printed is revoked again', async () => {
  const active = () =>
    emulator.text('bankapi keys list --all --jq \'[.data[] | select(.status != "revoked")] | length\'')
  const before = await active()
  const { code, stderr } = await emulator.run('bankapi keys create --scopes read:clients > /dev/full')
  expect([code, stderr]).toEqual([1, expect.stringMatching(/nobody has the secret: \S+ was revoked again/)])
  expect(await active()).toBe(before)
})

it('a key is created, its secret is shown once, and it is revoked for good', async () => {
  const { id, secret } = await createKey('read:clients')
  expect(secret).toMatch(/^sk_test_/)
  expect(await emulator.text('bankapi keys list --all --json')).not.toContain(secret)
  expect(
    await emulator.transcript(
      `bankapi keys revoke ${id}`,
      `bankapi keys revoke ${id} --yes`,
      `bankapi keys rotate-scopes ${id} --add read:checks --yes`,
      'bankapi keys create --scopes read:everything',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi keys revoke UUID
    2> Error: Not done: Revoke UUID in local? Whatever uses it stops working at once. (confirmation_missing)
    2> Try: Without a terminal to ask on, confirm with --yes
    [exit 2]
    $ bankapi keys revoke UUID --yes
    Revoked UUID
    $ bankapi keys rotate-scopes UUID --add read:checks --yes
    2> + read:checks
    2> Error: A revoked key cannot be re-scoped: create a new one. (invalid_request)
    2> Try: See what the command takes: bankapi keys rotate-scopes --help
    2> Docs: http://127.0.0.1:PORT/errors/invalid_request
    2> Trace id: UUID
    [exit 7]
    $ bankapi keys create --scopes read:everything
    2> Error: There is no scope read:everything (unknown_scope)
    2> Try: Scopes: read:clients, write:clients, read:connections, write:connections, read:accounts, read:transactions, read:statements, write:statements, read:checks, manage:webhooks, read:webhooks, write:webhooks, read:api-keys, write:api-keys
    [exit 2]
    "
  `)
  const refused = await emulator.run('bankapi clients list', { env: { BANKAPI_API_KEY: secret } })
  expect(refused.code).toBe(3)
})

it('--add and --remove change the current scopes; the difference is shown first', async () => {
  const { id } = await createKey('read:clients,read:accounts')
  const change = `bankapi keys rotate-scopes ${id} --add read:checks,read:clients --remove read:accounts`
  expect(await emulator.transcript(change)).toMatchInlineSnapshot(`
    "
    $ bankapi keys rotate-scopes UUID --add read:checks,read:clients --remove read:accounts
    2> + read:checks
    2> - read:accounts
    2> Error: Not done: Change the scopes of sk_test_… (UUID)? (confirmation_missing)
    2> Try: Without a terminal to ask on, confirm with --yes
    [exit 2]
    "
  `)
  expect(await scopesOf(id)).toBe('read:clients,read:accounts')
  const done = await emulator.run(`${change} --yes --jq '.scopes | sort'`)
  expect(JSON.parse(done.stdout)).toEqual(['read:checks', 'read:clients'])
  expect(done.stderr).toBe('+ read:checks\n- read:accounts\n')
  expect((await emulator.run(`bankapi keys rotate-scopes ${id} --add read:checks`)).stderr).toBe(
    'Nothing changes.\n',
  )
})

it('--set replaces all scopes; an empty set is refused (exit 2)', async () => {
  const { id } = await createKey('read:clients')
  await emulator.text(`bankapi keys rotate-scopes ${id} --set read:accounts,read:transactions --yes`)
  expect(await scopesOf(id)).toBe('read:accounts,read:transactions')
  const none = await emulator.run(
    `bankapi keys rotate-scopes ${id} --remove read:accounts,read:transactions --yes`,
  )
  expect(none.code).toBe(2)
})

it('the key in use cannot lose write:api-keys, which it could not get back (exit 2, even with --yes)', async () => {
  const inUse = await emulator.text("bankapi keys list --jq '.data[0].id'")
  for (const which of ['', inUse]) {
    const { code, stderr } = await emulator.run(
      `bankapi keys rotate-scopes ${which} --remove write:api-keys --yes --json`,
    )
    expect([code, JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code]).toEqual([2, 'lockout'])
  }
  expect(await scopesOf(inUse)).toContain('write:api-keys')
})

it('on a terminal without flags there is a checklist in which the current scopes are checked', async () => {
  const { id } = await createKey('write:clients')
  const terminal = emulator.open(`bankapi keys rotate-scopes ${id}`)
  await terminal.sees('read:clients')
  terminal.type(keys.space)
  await terminal.sees(/◉ read:clients/)
  terminal.type(keys.enter)
  await terminal.sees('Change the scopes of')
  terminal.type(`y${keys.enter}`)
  const { code, screen } = await terminal.ended
  expect(code, screen).toBe(0)
  expect(screen).toContain('+ read:clients')
  expect((await scopesOf(id)).split(',').toSorted()).toEqual(['read:clients', 'write:clients'])
  expect((await emulator.run(`bankapi keys rotate-scopes ${id}`)).code).toBe(2)
})

it('a missing scope is an error with the scope, the key and the command that adds it, which then works (exit 4)', async () => {
  const { id, secret } = await createKey('read:clients')
  const { code, stderr } = await emulator.run('bankapi checks list acc_FDE_12301', {
    env: { BANKAPI_API_KEY: secret },
  })
  expect(code).toBe(4)
  expect(stderr).toContain('read:checks')
  expect(stderr).toMatch(/bankapi keys rotate-scopes .*--add read:checks/)
  await emulator.text(`bankapi keys rotate-scopes ${id} --add read:checks --yes`)
  const after = await emulator.run('bankapi checks list acc_FDE_12301', { env: { BANKAPI_API_KEY: secret } })
  expect(after.code).toBe(0)
})

it('create --save uses the new key from now on and does not print it', async () => {
  const { base_url, api_key } = emulator.home.sandbox
  const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: base_url }
  await emulator.text('bankapi login --key-stdin --insecure-storage', { env, input: api_key })
  const create = 'bankapi keys create --scopes read:clients,read:api-keys --save'
  expect((await emulator.run(create, { env })).code).toBe(2)
  const { code, stdout, stderr } = await emulator.run(`${create} --yes --json`, { env })
  expect(code).toBe(0)
  expect(stdout + stderr).not.toMatch(/sk_test_[0-9a-f]{20}/)
  const { prefix } = JSON.parse(stdout)
  expect(JSON.parse(await emulator.text('bankapi whoami --json', { env })).key_prefix).toContain(prefix)
  expect((await emulator.run('bankapi accounts list', { env })).code).toBe(4)
})

describe('a service whose keys are not as this program knows them', () => {
  const id = '3f0c8a52-6a1e-4c0b-9f53-0d6f7f1b2a11'
  const secret = 'sk_test_ab12cdef'
  const aKey = (scopes: readonly string[], prefix = 'sk_test_zz99') => ({
    id,
    environment: 'sandbox',
    prefix,
    scopes,
    status: 'active',
    created_at: '2026-01-01T00:00:00Z',
  })

  /** Answers the list of keys with `list`, and a PATCH with the scopes that were sent. */
  async function service(list: { readonly status: number; readonly body: object }) {
    const { baseUrl, heard } = await serve(({ method, body }, response) => {
      if (method === 'PATCH') json(response, 200, aKey(JSON.parse(body.toString()).scopes))
      else json(response, list.status, list.body)
    })
    const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: secret }
    return { run: (line: string) => emulator.run(line, { env }), heard }
  }
  const listed = (...keys: object[]) => ({ status: 200, body: { data: keys, has_more: false } })
  const sent = (heard: readonly Heard[]) =>
    heard.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body.toString()).scopes)
  const codeOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.code

  it('scopes is the complete final set, not a delta: scopes unknown here are sent along with what is added', async () => {
    const { run, heard } = await service(listed(aKey(['read:clients', 'read:reports'])))
    const { code, stderr } = await run(
      `bankapi keys rotate-scopes ${id} --add read:checks --yes --jq .scopes`,
    )
    expect(code, stderr).toBe(0)
    expect(sent(heard)).toEqual([['read:clients', 'read:checks', 'read:reports']])
    expect(stderr.split('\n').filter((line) => /^[+-] /.test(line))).toEqual(['+ read:checks'])
  })

  it('a scope unknown here can be taken away, kept or set where the key has it; elsewhere it is refused (exit 2)', async () => {
    const { run, heard } = await service(listed(aKey(['read:clients', 'read:reports', 'write:api-keys'])))
    const rotate = `bankapi keys rotate-scopes ${id}`
    const removed = await run(`${rotate} --remove read:reports --yes --json`)
    expect([removed.code, removed.stderr]).toEqual([0, expect.stringContaining('- read:reports')])
    expect((await run(`${rotate} --set read:reports,write:api-keys --yes --json`)).code).toBe(0)
    for (const change of ['--add read:nothing', '--remove read:nothing', '--set read:clients,read:nothing']) {
      const { code, stderr } = await run(`${rotate} ${change} --yes --json`)
      expect([code, codeOf(stderr)]).toEqual([2, 'unknown_scope'])
    }
    expect(sent(heard)).toEqual([
      ['read:clients', 'write:api-keys'],
      ['write:api-keys', 'read:reports'],
    ])
  })

  it('--set with an id is sent without reading the list of keys, which a key may not be allowed to read', async () => {
    const { run, heard } = await service({ status: 403, body: envelope('insufficient_scope') })
    const set = `bankapi keys rotate-scopes ${id} --set read:clients,write:api-keys`
    expect((await run(`${set} --json`)).code).toBe(2)
    const { code, stdout } = await run(`${set} --yes --jq .scopes`)
    expect([code, JSON.parse(stdout)]).toEqual([0, ['read:clients', 'write:api-keys']])
    expect(heard.map(({ method, url }) => `${method} ${url}`)).toEqual([`PATCH /v3/api-keys/${id}`])
  })

  it('a set without write:api-keys is asked about where the key in use cannot be told from others, and refused where it can', async () => {
    const set = `bankapi keys rotate-scopes ${id} --set read:clients`
    for (const status of [403, 404, 405]) {
      const { run, heard } = await service({ status, body: envelope('no_list') })
      const asked = await run(`${set} --json`)
      expect([asked.code, codeOf(asked.stderr)]).toEqual([2, 'confirmation_missing'])
      expect(asked.stderr).toContain('it could never change a key again')
      expect(sent(heard)).toEqual([])
      expect((await run(`${set} --yes --json`)).code).toBe(0)
      expect(sent(heard)).toEqual([['read:clients']])
    }
    const { run, heard } = await service(
      listed({ ...aKey(['write:api-keys'], 'sk_test_ab12'), id: id.toUpperCase() }),
    )
    const refused = await run(`${set} --yes --json`)
    expect([refused.code, codeOf(refused.stderr), sent(heard)]).toEqual([2, 'lockout', []])
  })

  it('a list of keys that fails in passing stops a set without write:api-keys: it may be the key in use', async () => {
    const set = `bankapi keys rotate-scopes ${id} --set read:clients --yes --json`
    for (const [status, exit] of [
      [500, 11],
      [501, 11],
      [400, 7],
    ] as const) {
      const { run, heard } = await service({ status, body: envelope('no_list') })
      const { code, stderr } = await run(set)
      expect([code, codeOf(stderr), sent(heard)]).toEqual([exit, 'no_list', []])
    }
    const { baseUrl, heard } = await serve((_, response) => response.destroy())
    const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: secret }
    const { code, stderr } = await emulator.run(set, { env })
    expect([code, codeOf(stderr)]).toEqual([11, 'unreachable'])
    expect(heard.map(({ method }) => method)).not.toContain('PATCH')
  })

  it.each([
    ['no fields but the id', { id }],
    ['scopes that are objects', { ...aKey([]), scopes: [{ name: 'read:clients' }] }],
    ['a prefix that is null', { id, prefix: null, status: 'active', scopes: null }],
  ])(
    '--set with an id needs nothing of the list, --add stops where the current scopes cannot be read: %s',
    async (_, row) => {
      const { run, heard } = await service(listed(row))
      const rotate = `bankapi keys rotate-scopes ${id}`
      const replaced = await run(`${rotate} --set read:clients --yes --json`)
      expect([replaced.code, sent(heard)], replaced.stderr).toEqual([0, [['read:clients']]])
      for (const change of ['--add read:checks', '--remove read:clients']) {
        const { code, stderr } = await run(`${rotate} ${change} --yes`)
        expect([code, stderr]).toEqual([1, expect.stringContaining('(scopes_unknown)')])
        expect(stderr).toContain('endpoints.keys.list')
        expect(stderr).toContain('--set')
      }
      expect(sent(heard)).toHaveLength(1)
    },
  )

  it('a key whose prefix is null can be changed; that it may be the key in use is said', async () => {
    const { run, heard } = await service(
      listed({ ...aKey(['read:clients', 'write:api-keys']), prefix: null }, { ...aKey([]), id: null }),
    )
    const added = await run(`bankapi keys rotate-scopes ${id} --add read:checks --yes`)
    expect([added.code, added.stderr]).toEqual([0, expect.stringMatching(/^\+ read:checks$/m)])
    expect(added.stderr).not.toContain('key in use')
    const removed = await run(`bankapi keys rotate-scopes ${id} --remove write:api-keys --yes`)
    expect([removed.code, removed.stderr]).toEqual([
      0,
      expect.stringContaining('it could never change a key again'),
    ])
    expect(sent(heard)).toHaveLength(2)
  })

  it.each(['', '--save'])(
    'a plaintext that comes once under another name is shown with all that came (%s)',
    async (flag) => {
      const { baseUrl } = await serve((_, response) =>
        json(response, 201, { ...aKey(['read:clients']), plaintext: 'sk_test_only_once' }),
      )
      const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: secret }
      await emulator.text('bankapi login --key-stdin --insecure-storage --offline', { env, input: secret })
      for (const how of ['', '--jq .secret', '--columns id', '--json', '-o csv']) {
        const { code, stdout, stderr } = await emulator.run(
          `bankapi keys create --scopes read:clients ${flag} --yes ${how}`,
          { env },
        )
        expect(stdout, how).toContain('sk_test_only_once')
        expect(stderr).toMatch(/Warning: .*no field secret/)
        expect(code).toBe(flag === '' ? 0 : 1)
      }
      const stored = await emulator.text('bankapi whoami --offline --json', {
        env: { ...env, BANKAPI_API_KEY: undefined },
      })
      expect(JSON.parse(stored).key_prefix).toContain('sk_test_ab12')
    },
  )

  it.each(['sk_test_only_once', '"sk_test_only_once"', '[{"secret":"sk_test_only_once"}]'])(
    'a plaintext in an answer that is no JSON object is shown as it came: %s',
    async (answer) => {
      const { baseUrl } = await serve((_, response) => response.writeHead(201).end(answer))
      const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: secret }
      for (const how of ['', '--json', '--jq .secret']) {
        const { code, stdout, stderr } = await emulator.run(
          `bankapi keys create --scopes read:clients ${how}`,
          { env },
        )
        expect([code, stdout]).toEqual([1, `${answer}\n`])
        expect(stderr).toContain('unreadable_response')
      }
    },
  )
})
