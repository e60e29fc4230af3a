/** What an assistant can look up, the resources and the prompts. */
import { expect, it } from 'vitest'
import { everyEndpoint } from '../../src/contract/contract.ts'
import { errorCodes } from '../../src/contract/errors.ts'
import { eventTypes } from '../../src/contract/events.ts'
import { tables } from '../../src/sync/mirror/tables.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { type Era, openAssistant, type TestAssistant } from '../support/mcp-client.ts'
import { recorded } from '../support/recorded.ts'

const emulator = emulatorShell()
const open = (flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}, era?: Era) =>
  openAssistant(
    { env: { ...emulator.shell.env, ...env }, folder: emulator.shell.folder },
    flags,
    era && { era },
  )

async function textAt({ client }: TestAssistant, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri })
  return (contents[0] as { text: string }).text
}

async function promptText(
  { client }: TestAssistant,
  name: string,
  input: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: { ...input } })
  return (messages[0] as { content: { text: string } }).content.text
}

interface Found {
  readonly found: number
  readonly matches: readonly { readonly kind: string; readonly name: string; readonly text: string }[]
}

it.each([
  ['refresh connection', 'operation', 'connections.refresh', 'POST /connections/{connection_id}/refresh'],
  ['credentials_invalid', 'error', 'credentials_invalid', 'bankapi connections reauthorize'],
  ['account.refresh.completed', 'event', 'account.refresh.completed', 'new_transaction_count'],
  ['webhook signature', 'rule', 'webhook signature', 'HMAC-SHA256'],
  ['pagination limit', 'rule', 'pagination', '500'],
  ['ledger', 'table', 'ledger', 'amount_minor integer'],
])('"%s" finds the %s %s first', async (words, kind, name, text) => {
  const assistant = await open()
  const { matches } = await assistant.call<Found>('look_up_reference', { words })
  expect(matches[0]).toEqual({ kind, name, text: expect.stringContaining(text) })
})

it('words that are nowhere find nothing, and a word that is everywhere a short answer', async () => {
  const assistant = await open()
  expect(await assistant.call('look_up_reference', { words: 'zzz' })).toMatchObject({ found: 0, matches: [] })
  for (const words of ['a', 'e id client', 'the', '']) {
    const result = await assistant.result('look_up_reference', { words })
    expect(JSON.stringify(result).length).toBeLessThan(20_000)
  }
  const { matches } = await assistant.call<Found>('look_up_reference', { words: 'refresh', kind: 'error' })
  expect(new Set(matches.map(({ kind }) => kind))).toEqual(new Set(['error']))
})

it('the pages of the reference have every operation, error code, event and table, in less than 20 kB each', async () => {
  const assistant = await open()
  const { resources } = await assistant.client.listResources()
  const texts = new Map<string, string>()
  for (const { uri } of resources) texts.set(uri, await textAt(assistant, uri))
  const expected = {
    operations: everyEndpoint().map(({ area, name }) => `${area}.${name}`),
    errors: Object.keys(errorCodes),
    events: eventTypes,
    rules: ['pagination', 'webhook signature'],
    tables: [...Object.keys(tables), 'ledger', 'cashflow_monthly'],
  }
  expect([...texts.keys()]).toEqual(Object.keys(expected).map((kind) => `bankapi://reference/${kind}`))
  for (const [kind, names] of Object.entries(expected)) {
    const text = texts.get(`bankapi://reference/${kind}`) ?? ''
    for (const name of names) expect(text).toContain(`\n- ${name}: `)
    expect(Buffer.byteLength(text)).toBeLessThan(20_000)
  }
})

it.each(['legacy', 'modern'] as const)('%s: a connection and an account are resources', async (era) => {
  const assistant = await open([], {}, era)
  const { resourceTemplates } = await assistant.client.listResourceTemplates()
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'bankapi://connections/{connection_id}',
    'bankapi://accounts/{account_id}',
    'bankapi://accounts/{account_id}{?client_id}',
  ])
  expect(JSON.parse(await textAt(assistant, 'bankapi://connections/con_FDE_123'))).toEqual(
    await assistant.call('get_connection', { connection_id: 'con_FDE_123' }),
  )
  for (const uri of [
    'bankapi://accounts/acc_FDE_12301',
    'bankapi://accounts/acc_FDE_12301?client_id=cli_demo',
  ]) {
    expect(JSON.parse(await textAt(assistant, uri))).toMatchObject({
      environment: 'local',
      id: 'acc_FDE_12301',
      client_id: 'cli_demo',
      currency: 'USD',
      current_balance: expect.any(Number),
    })
  }
})

it('a resource shows names and masks with --pii only', async () => {
  const uri = 'bankapi://accounts/acc_FDE_12301'
  expect(await textAt(await open(), uri)).not.toMatch(/mask|name/)
  expect(JSON.parse(await textAt(await open(['--pii']), uri))).toMatchObject({
    bank_text: { name: expect.any(String), mask: expect.stringMatching(/^\d{4}$/) },
  })
})

it('a resource that is not there, or of another customer, is refused in a sentence', async () => {
  const assistant = await open()
  for (const [uri, message] of [
    ['bankapi://connections/con_FDE_999', 'No such Connection. Check the id'],
    ['bankapi://accounts/acc_FDE_12301?client_id=cli_other', 'No such account'],
    ['bankapi://accounts/acc_FDE_999', 'No such account'],
    ['bankapi://elsewhere/x', 'Resource not found'],
  ]) {
    await expect(assistant.client.readResource({ uri: uri as string }), uri).rejects.toThrow(message)
  }
  const withoutClient = await open([], { BANKAPI_CLIENT_ID: '' })
  await expect(
    withoutClient.client.readResource({ uri: 'bankapi://accounts/acc_FDE_12301' }),
  ).rejects.toThrow('client_id')
})

it('a resource that the key may not read is not offered', async () => {
  const { secret } = JSON.parse(await emulator.text('bankapi keys create --scopes read:clients --json'))
  const assistant = await open([], { BANKAPI_API_KEY: secret })
  expect((await assistant.client.listResourceTemplates()).resourceTemplates).toEqual([])
  await expect(assistant.client.readResource({ uri: 'bankapi://connections/con_FDE_123' })).rejects.toThrow(
    'not found',
  )
  // The morning needs what it may not read, either.
  const { prompts } = await assistant.client.listPrompts()
  expect(prompts.map(({ name }) => name)).toEqual(['debug_webhook'])
})

it('reading a resource is a line of the log, without its address', async () => {
  const assistant = await open(['--log', 'calls.log'])
  await textAt(assistant, 'bankapi://connections/con_FDE_123')
  await textAt(assistant, 'bankapi://connections/con_FDE_999').catch(() => undefined)
  await assistant.client.close()
  const lines = (await emulator.text('cat calls.log')).split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { tool: 'resource connection', outcome: 'ok', bytes: expect.any(Number) },
    { tool: 'resource connection', outcome: 'not_found' },
  ])
  expect(lines.join()).not.toContain('con_FDE')
})

it.each(['legacy', 'modern'] as const)(
  '%s: the prompts name tools that are there, and ask for no change',
  async (era) => {
    const assistant = await open(['--allow', 'refresh'], {}, era)
    const { prompts } = await assistant.client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['morning', 'debug_webhook'])
    const names = await assistant.toolNames()
    for (const { name } of prompts) {
      const text = await promptText(assistant, name)
      const named = text.match(/\b(?:triage|get|list|explain|look)_\w+/g) ?? []
      expect(named.length).toBeGreaterThan(1)
      expect(names).toEqual(expect.arrayContaining([...new Set(named)]))
      expect(text).toContain('Change nothing.')
      expect(text).toContain(' local')
    }
    expect(await promptText(assistant, 'debug_webhook', { event: 'evt_1' })).toContain('"evt_1"')
  },
)

it('the morning asks for the deliveries since a time that list_deliveries takes', async () => {
  const assistant = await open()
  const [since] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(await promptText(assistant, 'morning')) ?? []
  const ago = Date.now() - Date.parse(since ?? '')
  expect(ago).toBeGreaterThan(23 * 3_600_000)
  expect(ago).toBeLessThan(25 * 3_600_000)
  expect(await assistant.call('list_deliveries', { failed: true, since })).toMatchObject({
    totals: { received: 0 },
  })
})

it.each(['legacy', 'modern'] as const)(
  '%s: event ids of debug_webhook are completed with those that failed',
  async (era) => {
    recorded(emulator.home.folder, [
      ['evt_a1', { forwardTo: 'http://127.0.0.1:3000' }],
      ['evt_b1', { forwardTo: 'http://127.0.0.1:3000' }],
      ['evt_a2', {}],
      ['evt_a3', { forwardTo: 'http://127.0.0.1:3000', environment: 'live' }],
    ])
    const assistant = await open([], {}, era)
    const complete = async (value: string) => {
      const ref = { type: 'ref/prompt' as const, name: 'debug_webhook' }
      const { completion } = await assistant.client.complete({ ref, argument: { name: 'event', value } })
      return completion.values
    }
    expect(await complete('')).toEqual(['evt_b1', 'evt_a1'])
    expect(await complete('evt_a')).toEqual(['evt_a1'])
  },
)
