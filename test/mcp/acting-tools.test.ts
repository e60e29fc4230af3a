/** The tools that act, each only where its group is allowed; and the secrets that they make for a person and do not show. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { receiver } from '../support/http-receiver.ts'
import { openAssistant } from '../support/mcp-client.ts'
import { until } from '../support/until.ts'

const emulator = emulatorShell(['--first-signal', '50ms', '--refresh-duration', '50ms'])
const acting = {
  refresh_connection: 'refresh',
  reauthorize_connection: 'reauthorize',
  link_bank: 'link',
  test_webhook: 'webhooks',
} as const
const broken = 'con_AGGREGATOR_A_1001'

/** A sandbox that keeps secrets in the credentials file, so that links are kept without a keychain. */
let sandbox: { BANKAPI_ENV: string; BANKAPI_BASE_URL: string }

beforeEach(async () => {
  const { base_url, api_key } = emulator.home.sandbox
  sandbox = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: base_url }
  await emulator.text('bankapi login --key-stdin --insecure-storage', { env: sandbox, input: api_key })
})

const open = (allow: string, env: Readonly<Record<string, string>> = {}) =>
  openAssistant(
    { env: { ...emulator.shell.env, ...env }, folder: emulator.shell.folder },
    allow === '' ? [] : ['--allow', allow],
  )

/** Requests to the API, other than reads. */
async function changes(): Promise<string[]> {
  const { data } = JSON.parse(await emulator.text('bankapi emulator logs --json'))
  return data
    .filter(
      ({ method, path }: { method: string; path: string }) => method !== 'GET' && path.startsWith('/v3'),
    )
    .map(({ method, path }: { method: string; path: string }) => `${method} ${path}`)
}

const breakIt = (code = 'credentials_invalid') =>
  emulator.text(`bankapi emulator trigger connection.requires_action --connection ${broken} --code ${code}`)

it.each(Object.entries(acting))('%s is listed and callable with --allow %s only', async (name, group) => {
  const others = Object.values(acting).filter((other) => other !== group)
  const input = { connection_id: 'con_FDE_123', client_id: 'cli_demo', institution: 'ins_a_ok' }
  for (const allow of ['', others.join(',')]) {
    const assistant = await open(allow)
    expect(await assistant.toolNames()).not.toContain(name)
    await expect(assistant.result(name, input)).rejects.toThrow(`Tool ${name} not found`)
  }
  expect(await changes()).toEqual([])
  const allowed = await open(group)
  expect((await allowed.toolNames()).filter((one) => one in acting)).toEqual([name])
  const { tools } = await allowed.client.listTools()
  expect(tools.find((one) => one.name === name)?.annotations).toMatchObject({ readOnlyHint: false })
})

it.each([
  ['its scopes are listed', 'read:api-keys', []],
  [
    'its scopes are not listed, so that what does not exist is asked for',
    'read:statements',
    [
      'POST /v3/connections/con_00000000-0000-0000-0000-000000000000/refresh',
      'POST /v3/webhooks/subscriptions/whk_000000000000000000000000/test',
    ],
  ],
])('tools that act are not listed for a key that may not write: %s', async (_, scope, requests) => {
  const keyWith = async (scopes: string): Promise<string> =>
    JSON.parse(await emulator.text(`bankapi keys create --scopes ${scopes},${scope} --json`)).secret
  const reads = 'read:clients,read:connections,read:accounts,read:webhooks'
  const reader = { BANKAPI_API_KEY: await keyWith(reads) }
  const writer = { BANKAPI_API_KEY: await keyWith(`${reads},write:webhooks`) }
  const before = await changes()
  // The client may start the server twice, to find out which revision it speaks.
  const asked = async () => [...new Set((await changes()).slice(before.length))].toSorted()

  expect(await (await open('', reader)).toolNames()).toContain('triage_connections')
  expect(await asked()).toEqual([])

  const names = await (await open('refresh,reauthorize,link,webhooks', reader)).toolNames()
  expect(names).toContain('triage_connections')
  expect(names).not.toContain('search_transactions')
  expect(names.filter((one) => one in acting)).toEqual([])
  expect(await asked()).toEqual(requests)

  const { client } = await open('refresh,webhooks', writer)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).filter((one) => one in acting)).toEqual(['test_webhook'])
})

it('a reauthorize link is made once, and a person gets it with the command; no answer has it', async () => {
  await breakIt()
  const assistant = await open('reauthorize', sandbox)
  const first = await assistant.result('reauthorize_connection', { connection_id: broken })
  const again = await assistant.result('reauthorize_connection', { connection_id: broken })
  expect(first.structuredContent).toMatchObject({
    connection_id: broken,
    reused: false,
    expires_at: expect.stringMatching(/^\d{4}-/),
    get_link: `bankapi connections reauthorize ${broken} --env sandbox`,
  })
  expect(again.structuredContent).toMatchObject({ reused: true })
  expect(await changes()).toEqual([`POST /v3/connections/${broken}/reauthorize`])

  const { get_link } = first.structuredContent as { get_link: string }
  const { action } = JSON.parse(await emulator.text(`${get_link} --json`, { env: sandbox }))
  expect(action.reauth_url).toMatch(/^http/)
  const secret = new URL(action.reauth_url)
  for (const answer of [first, again]) {
    expect(JSON.stringify(answer)).not.toContain(secret.pathname)
    expect(JSON.stringify(answer)).not.toContain('http')
  }
  expect(await changes()).toHaveLength(1)
})

it('no link is made where no store could keep it for a person', async () => {
  await breakIt()
  const assistant = await open('reauthorize', { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' })
  expect(await assistant.failure('reauthorize_connection', { connection_id: broken })).toMatchObject({
    code: 'link_not_kept',
    hint: expect.stringContaining(`bankapi connections reauthorize ${broken}`),
  })
  expect(await changes()).toEqual([])
})

it('no second link is made where only a file has the first', async () => {
  await breakIt()
  const withoutStore = { BANKAPI_CONFIG_DIR: '/nonexistent', BANKAPI_API_KEY: emulator.home.sandbox.api_key }
  await emulator.text(`bankapi connections reauthorize ${broken} --to links.csv --yes`, {
    env: { ...sandbox, ...withoutStore },
  })
  const made = await changes()
  expect(made).toHaveLength(1)
  const assistant = await open('reauthorize', sandbox)
  expect(await assistant.failure('reauthorize_connection', { connection_id: broken })).toMatchObject({
    code: 'link_exists',
    hint: expect.stringContaining('--new'),
  })
  expect(await changes()).toEqual(made)
})

it('a link is made only of a connection that its user can repair', async () => {
  const assistant = await open('reauthorize', sandbox)
  expect(await assistant.failure('reauthorize_connection', { connection_id: broken })).toMatchObject({
    code: 'not_repairable',
    message: expect.stringContaining('active'),
  })
  await breakIt('account_locked_by_institution')
  expect(await assistant.failure('reauthorize_connection', { connection_id: broken })).toMatchObject({
    code: 'not_repairable',
  })
  expect(await changes()).toEqual([])
})

it('several banks of a name are listed and nothing is started; of one the address is for a person', async () => {
  const assistant = await open('link')
  const several = await assistant.call('link_bank', { client_id: 'cli_demo', institution: 'birch' })
  expect(several).toMatchObject({ started: false })
  expect(several).not.toHaveProperty('operation_id')
  expect(several['institutions']).toContainEqual({
    institution_id: 'ins_b_ok',
    bank_text: { name: 'Birch Savings' },
  })
  expect(await assistant.call('link_bank', { client_id: 'cli_demo', institution: 'bank' })).toMatchObject({
    institutions: { length: 25 },
    more_institutions: true,
  })
  expect(
    await assistant.failure('link_bank', { client_id: 'cli_demo', institution: 'no such' }),
  ).toMatchObject({
    code: 'institution_not_found',
  })
  expect(await changes()).toEqual([])

  const started = await assistant.result('link_bank', { client_id: 'cli_demo', institution: 'KESTREL' })
  expect(await changes()).toEqual(['POST /v3/clients/cli_demo/connections'])
  const { operation_id, get_link } = started.structuredContent as Record<string, string>
  const url = await emulator.text(get_link as string)
  expect(url).toMatch(/^http/)

  // get_operation finds it, and shows no address either.
  const found = await assistant.result('get_operation', { operation_id })
  expect(found.structuredContent).toMatchObject({
    operation: {
      type: 'connection.initiate',
      status: 'succeeded',
      subject: 'cli_demo',
      next: expect.stringContaining(get_link as string),
    },
  })
  for (const answer of [started, found]) expect(JSON.stringify(answer)).not.toContain('http')
  expect(await assistant.call('get_operation')).toMatchObject({
    operations: [{ id: operation_id, status: 'succeeded', type: 'connection.initiate', subject: 'cli_demo' }],
  })
})

it('an operation says what went wrong and what to do: queued, succeeded, failed', async () => {
  const id = await emulator.text(
    'bankapi connections initiate --client cli_demo --institution ins_b_partial --wait --jq .result.connection.id',
  )
  const connection = await emulator.text(`bankapi emulator link ${id} --jq .connection_id`)
  const assistant = await open('refresh')
  const refresh = async (connection_id: string) => {
    const { operation_id } = await assistant.call<{ operation_id: string }>('refresh_connection', {
      connection_id,
    })
    return operation_id
  }
  const operation = async (operation_id: string) =>
    (await assistant.call<{ operation: { status: string } }>('get_operation', { operation_id })).operation
  const ended = (operation_id: string) =>
    until(async () => {
      const found = await operation(operation_id)
      return found.status === 'queued' ? undefined : found
    }, 'the end of the operation')

  const failed = await refresh(connection)
  expect(await ended(failed)).toMatchObject({
    status: 'failed',
    subject: connection,
    error_code: 'refresh_partially_failed',
    failed_accounts: [{ id: expect.stringMatching(/^acc_/), code: expect.any(String) }],
    next: expect.stringContaining(`bankapi connections reauthorize ${connection}`),
    bank_text: { error: expect.any(String) },
  })
  expect(await ended(await refresh('con_FDE_123'))).toMatchObject({
    status: 'succeeded',
    next: 'Nothing: it is done',
  })
  expect(await assistant.failure('get_operation', { operation_id: 'op_none' })).toMatchObject({
    code: 'not_found',
  })
})

it('what cannot be noted in the inbox is one warning, and the tools answer all the same', async () => {
  mkdirSync(join(emulator.home.folder, 'data', 'inbox.sqlite'), { recursive: true })
  const assistant = await open('refresh,link')
  const { operation_id } = await assistant.call<{ operation_id: string }>('refresh_connection', {
    connection_id: 'con_FDE_123',
  })
  expect(await assistant.call('get_operation', { operation_id })).toMatchObject({
    operation: { id: operation_id, type: 'account.refresh' },
  })
  await assistant.call('link_bank', { client_id: 'cli_demo', institution: 'KESTREL' })
  expect(assistant.stderr()).toMatch(/^Warning: not noted in the inbox: [^\n]*\n$/)
})

it('statements of all accounts, the newest first, and the command that downloads one', async () => {
  const assistant = await open('')
  const rows: { id: string; account_id: string; statement_date: string }[] = []
  let download = ''
  for (let cursor: string | undefined; ; ) {
    const answer = await assistant.call<{
      statements: typeof rows
      statements_found: number
      download: string
      next_cursor?: string
    }>('list_statements', { client_id: 'cli_demo', cursor })
    rows.push(...answer.statements)
    download = answer.download
    cursor = answer.next_cursor
    if (cursor === undefined) {
      expect(answer.statements_found).toBe(rows.length)
      break
    }
  }
  const { data } = JSON.parse(await emulator.text('bankapi statements list --client cli_demo --all --json'))
  expect(rows.map(({ id }) => id).toSorted()).toEqual(data.map(({ id }: { id: string }) => id).toSorted())
  const dates = rows.map(({ statement_date }) => statement_date)
  expect(dates).toEqual(dates.toSorted().toReversed())
  expect(rows.length).toBeGreaterThan(50)

  const [{ id, account_id, statement_date } = { id: '', account_id: '', statement_date: '' }] = rows
  const narrowed = { client_id: 'cli_demo', account_id, from: statement_date, to: statement_date }
  expect(await assistant.call('list_statements', narrowed)).toMatchObject({
    statements_found: 1,
    statements: [{ id, downloadable: true }],
  })
  await emulator.text(`${download.replace('STATEMENT_ID', id)} -O one.pdf`)
})

it('a test event: to the only subscription, and what became of it here or by the word of the service', async () => {
  const assistant = await open('webhooks')
  expect(await assistant.failure('test_webhook')).toMatchObject({ code: 'no_subscription' })
  const target = await receiver()
  onTestFinished(() => target.close())
  const { id } = JSON.parse(
    await emulator.text(
      `bankapi webhooks create --url ${target.url} --events connection.active --print-secret --json`,
    ),
  )
  const sent = await assistant.call<{ event_id: string }>('test_webhook')
  expect(sent).toMatchObject({ subscription_id: id, delivery: 'answered 2xx', seen_by: 'the service' })
  expect((await target.received('webhook.test')).event.event_id).toBe(sent.event_id)

  const listener = emulator.home.start(['webhooks', 'listen', '--json', '--port', '0'])
  const { subscription_id: own } = JSON.parse(await listener.line())
  expect(await assistant.failure('test_webhook')).toMatchObject({
    code: 'subscription_missing',
    hint: expect.stringContaining(own),
  })
  expect(target.all()).toHaveLength(1)
  expect(await assistant.call('test_webhook', { subscription_id: own })).toMatchObject({
    subscription_id: own,
    delivery: 'received',
    seen_by: 'this machine',
  })
  listener.process.kill('SIGINT')
  await listener.ended
  expect(await assistant.failure('test_webhook', { subscription_id: own })).toMatchObject({
    code: 'no_subscription',
  })
})
