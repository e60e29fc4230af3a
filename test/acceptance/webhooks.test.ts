import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { receiver } from '../support/http-receiver.ts'

const emulator = emulatorShell()
const url = 'http://127.0.0.1:9/hooks'
/** Environment of a sandbox that keeps secrets in the credentials file. */
let sandbox: Record<string, string>

beforeEach(async () => {
  const { base_url, api_key } = emulator.home.sandbox
  sandbox = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: base_url }
  await emulator.text('bankapi login --key-stdin --insecure-storage', { env: sandbox, input: api_key })
})

const subscribe = async (rest = ''): Promise<string> =>
  emulator.text(`bankapi webhooks create --url ${url} ${rest} --jq .id`, { env: sandbox })

it('a subscription is made, shown, changed, tested and deleted', async () => {
  const id = await subscribe('--events connection.active')
  expect(
    await emulator.transcript(
      `bankapi webhooks get ${id}`,
      `bankapi webhooks update ${id} --events connection.active,connection.failed --jq .event_types`,
      `bankapi webhooks update ${id}`,
      `bankapi webhooks test ${id}`,
      `bankapi webhooks delete ${id}`,
      `bankapi webhooks delete ${id} --yes`,
      `bankapi webhooks get ${id} --json | jq . || true`,
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi webhooks get whk_…
    id:	whk_…
    url:	http://127.0.0.1:PORT/hooks
    event_types:	connection.active
    status:	active
    created_at:	TIME
    $ bankapi webhooks update whk_… --events connection.active,connection.failed --jq .event_types
    ["connection.active","connection.failed"]
    $ bankapi webhooks update whk_…
    2> Error: Nothing to change (usage)
    2> Try: Give --url, --events or both
    [exit 2]
    $ bankapi webhooks test whk_…
    event_id:	evt_…
    $ bankapi webhooks delete whk_…
    2> Error: Not done: Remove whk_… in local? Its URL gets no more events. (confirmation_missing)
    2> Try: Without a terminal to ask on, confirm with --yes
    [exit 2]
    $ bankapi webhooks delete whk_… --yes
    Removed whk_…
    2> Warning: no keychain answers, so a signing secret of whk_… may still be in it
    $ bankapi webhooks get whk_… --json | jq . || true
    2> {"error":{"code":"not_found","message":"There is no whk_… for this customer in local","service_message":"No such webhook subscription.","type":"invalid_request_error","category":"INVALID_REQUEST_ERROR","trace_id":"UUID","doc_url":"http://127.0.0.1:PORT/errors/not_found","hint":"Check the id, the Client and the environment: what belongs to another one reads as not found\\nThe reference does not show this path: GET /webhooks/subscriptions/{subscription_id} is an assumption.\\nSet the right one: bankapi config set endpoints.webhooks.get 'METHOD /path'","http_status":404,"exit_code":5}}
    "
  `)
})

it('an unknown event type is refused before a request, and the error lists the known ones (exit 2)', async () => {
  const { code, stderr } = await emulator.run(
    `bankapi webhooks create --url ${url} --events connection.initiated`,
  )
  expect(code).toBe(2)
  expect(stderr).toContain('connection.requires_action')
})

it('the signing secret is stored where the key is and never printed; --print-secret prints it as well', async () => {
  const inFile = () => readFileSync(join(emulator.home.folder, 'config', 'credentials.json'), 'utf8')
  const stored = await emulator.run(`bankapi webhooks create --url ${url} --json`, { env: sandbox })
  expect(stored.stdout + stored.stderr).not.toContain('whsec_')
  expect(stored.stderr).toContain('credentials file')
  const secretOf = (id: string) => JSON.parse(inFile())[`sandbox/webhook/${id}`]
  expect(secretOf(JSON.parse(stored.stdout).id)).toMatch(/whsec_\w+/)
  const create = `bankapi webhooks create --url ${url} --print-secret --json`
  const { id, signing_secret } = JSON.parse(await emulator.text(create, { env: sandbox }))
  expect(signing_secret).toMatch(/^whsec_\w+$/)
  expect(secretOf(id)).toBe(signing_secret)
  const rotate = `bankapi webhooks rotate-secret ${id} --yes --print-secret --jq .signing_secret`
  const rotated = await emulator.text(rotate, { env: sandbox })
  expect(secretOf(id)).toBe(rotated)
  expect(rotated).not.toBe(signing_secret)
})

it('--print-secret needs no keychain: the secret is printed, and a warning says that it is not stored', async () => {
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' }
  const create = `bankapi webhooks create --url ${url} --print-secret --json`
  const { code, stdout, stderr } = await emulator.run(create, { env })
  const { id, signing_secret } = JSON.parse(stdout)
  expect([code, signing_secret]).toEqual([0, expect.stringMatching(/^whsec_/)])
  expect(stderr).toMatch(/Warning: the signing secret of whk_\w+ is printed only, not stored/)
  expect(await emulator.text(`bankapi webhooks get ${id} --jq .id`)).toBe(id)
  const rotate = await emulator.run(`bankapi webhooks rotate-secret ${id} --yes --print-secret`, { env })
  expect([rotate.code, rotate.stdout]).toEqual([0, expect.stringContaining('whsec_')])
})

describe('a secret that is stored nowhere is printed, whatever is chosen', () => {
  const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' }
  const create = `bankapi webhooks create --url ${url} --print-secret`
  const count = () => emulator.text("bankapi webhooks list --jq '.data | length'")

  it.each([
    ['--jq .id', 0],
    ['--columns id,url', 0],
    ['-o csv --columns id,url', 0],
    ["--jq '.id | error'", 2],
    ['-o ndjson --columns nope', 2],
  ])('%s', async (chosen, exit) => {
    const made = await emulator.run(`${create} ${chosen}`, { env })
    expect([made.code, made.stdout]).toEqual([exit, expect.stringMatching(/whsec_\w+/)])
    expect(made.stderr).toContain('everything that came is printed')
    expect(made.stderr).not.toContain('whsec_')
    const id = /whk_\w+/.exec(made.stdout)?.[0] ?? ''
    const rotated = await emulator.run(
      `bankapi webhooks rotate-secret ${id} --yes --print-secret ${chosen}`,
      { env },
    )
    expect([rotated.code, rotated.stdout]).toEqual([exit, expect.stringMatching(/whsec_\w+/)])
  })

  it('what has it, and what is stored, is printed as chosen', async () => {
    const chosen = await emulator.run(`${create} --jq .signing_secret`, { env })
    expect([chosen.code, chosen.stdout]).toEqual([0, expect.stringMatching(/^whsec_\w+\n$/)])
    expect(chosen.stderr).not.toContain('everything')
    const stored = await emulator.run(`${create} --jq .id`, { env: sandbox })
    expect([stored.code, stored.stdout]).toEqual([0, expect.stringMatching(/^whk_\w+\n$/)])
  })

  it.each(["--jq '.id |'", '--jq .id -o csv', '--columns id --json'])(
    'what can never be printed is refused before anything is made: %s',
    async (chosen) => {
      const before = await count()
      expect(await emulator.run(`${create} ${chosen}`, { env })).toMatchObject({ code: 2, stdout: '' })
      expect(await count()).toBe(before)
    },
  )

  it.skipIf(!existsSync('/dev/full')).each([
    ['', '> /dev/full'],
    ['--jq .id', '> /dev/full'],
    ['', '> /dev/full 2>&1'],
    ['', '| true'],
  ])('where stdout cannot be written the subscription is removed again: %s %s', async (chosen, to) => {
    const before = await count()
    const line = `{ ${create} ${chosen}; echo $? > code; } ${to}; exit $(cat code)`
    const { code, stderr } = await emulator.run(line, { env })
    expect(code).toBe(1)
    if (!to.includes('2>&1')) expect(stderr).toMatch(/nobody has the secret: whk_\w+ was removed again/)
    expect(stderr).not.toContain('whsec_')
    expect(await count()).toBe(before)
  })
})

it('without a keychain no subscription with an unknown secret is left behind', async () => {
  const count = () => emulator.text("bankapi webhooks list --jq '.data | length'")
  const before = await count()
  const { code, stderr } = await emulator.run(`bankapi webhooks create --url ${url}`, {
    env: { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' },
  })
  expect(code).toBe(3)
  expect(stderr).toContain('keychain')
  expect(await count()).toBe(before)
})

it('after a rotation deliveries are signed under both secrets, and the old one verifies for 24 hours', async () => {
  const target = await receiver()
  const create = `bankapi webhooks create --url ${target.url} --print-secret --json`
  const { id, signing_secret: old } = JSON.parse(await emulator.text(create))
  expect((await emulator.run(`bankapi webhooks rotate-secret ${id}`)).code).toBe(2)
  const rotated = JSON.parse(
    await emulator.text(`bankapi webhooks rotate-secret ${id} --yes --print-secret --json`),
  )
  expect(rotated.signing_secret).toMatch(/^whsec_/)
  expect(rotated.signing_secret).not.toBe(old)
  await emulator.text(`bankapi webhooks test ${id}`)
  const { headers, body } = await target.received('webhook.test')
  const verify = (secret: string) =>
    emulator.run(
      `bankapi webhooks verify --timestamp ${headers['x-ls-webhook-timestamp']} ` +
        `--signature ${headers['x-ls-webhook-signature']} --signature-prev ${headers['x-ls-webhook-signature-prev']}`,
      { input: body, env: { BANKAPI_WEBHOOK_SECRET: secret } },
    )
  expect((await verify(rotated.signing_secret)).code).toBe(0)
  expect((await verify(old)).code).toBe(0)
  expect((await verify('whsec_another')).code).toBe(12)
  await target.close()
})

it.each([
  ['', 1],
  ['--print-secret', 0],
])(
  'a signing secret that comes once under another name is shown with all that came (%s)',
  async (flag, exit) => {
    const subscription = {
      id: 'whk_0a1b',
      url,
      event_types: [],
      status: 'active',
      created_at: '2026-01-01T00:00:00Z',
    }
    const { baseUrl, heard } = await serve((_, response) =>
      json(response, 201, { ...subscription, secret: 'whsec_only_once' }),
    )
    const env = { ...sandbox, BANKAPI_BASE_URL: baseUrl }
    await emulator.text('bankapi login --key-stdin --insecure-storage --offline', {
      env,
      input: 'sk_test_ab12',
    })
    for (const line of [`webhooks create --url ${url}`, 'webhooks rotate-secret whk_0a1b --yes']) {
      for (const how of ['', '--jq .signing_secret', '--json']) {
        const { code, stdout, stderr } = await emulator.run(`bankapi ${line} ${flag} ${how}`, { env })
        expect(stdout, `${line} ${how}`).toContain('whsec_only_once')
        expect(stderr).toMatch(/Warning: .*no field signing_secret/)
        expect(code).toBe(exit)
      }
    }
    expect(heard.map(({ method }) => method)).not.toContain('DELETE')
  },
)

it.each(['whsec_only_once', '["whsec_only_once"]'])(
  'a signing secret in an answer that is no JSON object is shown as it came: %s',
  async (answer) => {
    const { baseUrl } = await serve((_, response) => response.writeHead(201).end(answer))
    const env = { ...sandbox, BANKAPI_BASE_URL: baseUrl }
    await emulator.text('bankapi login --key-stdin --insecure-storage --offline', {
      env,
      input: 'sk_test_ab12',
    })
    for (const line of [`webhooks create --url ${url}`, 'webhooks rotate-secret whk_0a1b --yes']) {
      for (const how of ['', '--print-secret', '--json']) {
        const { code, stdout, stderr } = await emulator.run(`bankapi ${line} ${how}`, { env })
        expect([code, stdout], line).toEqual([1, `${answer}\n`])
        expect(stderr).toContain('unreadable_response')
      }
    }
  },
)
