import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { listedCommands } from '../../scripts/docs/manifest.ts'
import { jsonOutputs, shapeless } from '../../scripts/docs/output-schemas.ts'
import { schemaFile } from '../../scripts/docs/schema-pages.ts'
import type { Home, RunOptions } from '../support/cli.ts'
import { createEmulatorHome, emulatorHome } from '../support/emulator-process.ts'
import { postgresServer, whyNoPostgres } from '../support/postgres.ts'

const folder = new URL('../../docs/schemas/', import.meta.url)
const checked = new Set<string>()
const home = emulatorHome()
const postgres = whyNoPostgres() === undefined ? await postgresServer() : undefined

/** Violations of a schema file by a document, as text; empty when it is valid. */
function faults(file: string, document: unknown): string {
  const schema = z.fromJSONSchema(JSON.parse(readFileSync(new URL(file, folder), 'utf8')))
  const { error } = schema.safeParse(document)
  return error === undefined ? '' : z.prettifyError(error)
}

/** Ids that the steps below use. */
interface Keys {
  readonly id: string
  readonly sid: string
  readonly operation_id: string
  readonly connection_id: string
  readonly data: readonly [{ readonly id: string }]
  readonly result: { readonly connection: { readonly id: string } }
}

/** Runs a command with `--json` and validates its output with its schema. Returns the document. */
async function printed(
  words: string,
  args: string[] = [],
  options: RunOptions & { exit?: number; at?: Home } = {},
): Promise<Keys> {
  const { code, stdout, stderr } = await (options.at ?? home).run(
    [...words.split(' '), ...args, '--json'],
    options,
  )
  expect([code, code === (options.exit ?? 0) ? '' : stderr]).toEqual([options.exit ?? 0, ''])
  const document = JSON.parse(stdout)
  conforms(words, document)
  return document as Keys
}

function conforms(words: string, document: unknown): void {
  checked.add(words)
  expect(faults(schemaFile(words), document), `bankapi ${words} printed ${JSON.stringify(document)}`).toBe('')
}

describe('the output of --json is valid by its schema', () => {
  it('for commands about this machine', async () => {
    await printed('config set', ['default_environment', 'local'])
    await printed('config get', ['default_environment'])
    await printed('config list')
    await printed('config path')
    await printed('config profile add', [
      'acme',
      '--mode',
      'sandbox',
      '--base-url',
      'https://acme.example/v3',
    ])
    await printed('config profile list')
    await printed('config profile remove', ['acme'])
    await printed('config unset', ['default_environment'])
    await printed('config unset', ['default_environment'])
    await printed('whoami')
    await printed('whoami', ['--offline'])
    await printed('doctor')
    await printed('health')
    await printed('login', ['--env', 'sandbox', '--insecure-storage', '--key-stdin', '--offline'], {
      input: 'sk_test_abcdefgh',
      env: { BANKAPI_BASE_URL: 'https://api.example/v3', BANKAPI_ENV: '' },
    })
    await printed('logout', ['--env', 'sandbox', '--yes'])
  })

  it('for clients, institutions and connections', async () => {
    const client = await printed('clients create', ['--name', 'Ada', '--external-id', 'user-42'])
    await printed('clients list', ['--limit', '1'])
    await printed('institutions search', ['alder'])
    await printed('institutions get', ['ins_fde_ok'])
    await printed('institutions sandbox')
    await printed('connections initiate', ['--client', client.id, '--institution', 'ins_fde_ok'])
    const initiated = await printed('connections initiate', [
      ...['--client', client.id, '--institution', 'ins_fde_ok', '--wait'],
    ])
    const { connection_id } = await printed('emulator link', [initiated.result.connection.id])
    await printed('connections list')
    await printed('connections get', ['con_FDE_123'])
    await printed('connections refresh', ['con_FDE_123'])
    await printed('connections refresh', ['con_FDE_123', '--wait'])
    await printed('connections reauthorize', ['con_FDE_123', '--yes'])
    await printed('connections refresh', ['--all-clients', '--wait'])
    const locked = ['--set', 'code=account_locked_by_institution']
    const trigger = ['emulator', 'trigger', 'connection.requires_action', '--connection']
    await home.json([...trigger, 'con_FDE_123', ...locked])
    await home.json([...trigger, 'con_AGGREGATOR_A_1001'])
    expect((await printed('connections triage')).data).toHaveLength(2)
    await printed('connections reauthorize', [
      ...['con_FDE_123', 'con_AGGREGATOR_A_1001', '--to', join(home.folder, 'links.csv'), '--yes'],
    ])
    await printed('connections delete', [connection_id, '--yes'])
    const session = await printed('connect-sessions create')
    await printed('connect-sessions delete', [session.sid, '--yes'])
  })

  it('for accounts, transactions, statements and checks', async () => {
    const { data: accounts } = await printed('accounts list', ['--connection', 'con_FDE_123'])
    await printed('accounts get', [accounts[0].id])
    await printed('accounts history', [accounts[0].id])
    const { data: transactions } = await printed('transactions list', [accounts[0].id, '--limit', '5'])
    await printed('transactions list', [accounts[0].id, '--all'])
    await printed('transactions summary', ['--by', 'category'])
    await printed('transactions get', [transactions[0].id])
    const { data: statements } = await printed('statements list', [accounts[0].id])
    await printed('statements get', [statements[0].id])
    const pdf = join(home.folder, 'statement.pdf')
    await printed('statements download', [statements[0].id, '-O', pdf])
    await printed('statements download', ['--account', accounts[0].id, '--to', join(home.folder, 'all')])
    await printed('statements extract', [pdf])
    await printed('statements extract', [pdf, '--wait'])
    const { data: checks } = await printed('checks list', [accounts[0].id])
    await printed('checks get', [accounts[0].id, checks[0].id])
    await printed('checks download', [accounts[0].id, checks[0].id, '-O', join(home.folder, 'check')])
    await printed('checks download', ['--account', accounts[0].id, '--to', join(home.folder, 'all')])
  })

  it('for operations and reports', async () => {
    const { operation_id } = await printed('reports generate')
    await printed('operations wait', [operation_id])
    await printed('reports generate', ['--wait'])
    await printed('operations get', [operation_id])
    await printed('operations list')
    const { stdout } = await home.run(['operations', 'tail', operation_id, '--json'])
    for (const line of stdout.trim().split('\n')) conforms('operations tail', JSON.parse(line))
  })

  it('for keys, settings of the service, metrics and the portal', async () => {
    const key = await printed('keys create', ['--scopes', 'read:clients,read:accounts'])
    await printed('keys list')
    await printed('keys rotate-scopes', [key.id, '--add', 'read:checks', '--yes'])
    await printed('keys revoke', [key.id, '--yes'])
    await printed('redirect-urls set', ['https://a.example/x', '--yes'])
    await printed('redirect-urls add', ['https://b.example/x', '--yes'])
    await printed('redirect-urls get')
    await printed('redirect-urls remove', ['https://b.example/x', '--yes'])
    await printed('redirect-urls clear', ['--yes'])
    await printed('metrics summary')
    await printed('metrics webhook-delivery')
    const user = ['--idp-user-id', 'usr_9', '--email', 'dev@example.com', '--company-name', 'Example']
    const rest = ['--first-name', 'Ada', '--last-name', 'Dev', '--country', 'DE', '--use-case', 'testing']
    await printed('portal access-request create', [...user, ...rest])
    await printed('portal access-request status', ['--idp-user-id', 'usr_9'])
    await printed('portal live-request create', [...user, ...rest])
    await printed('portal live-request update', ['--idp-user-id', 'usr_9', '--expected-monthly-volume', '5'])
  })

  it('for webhooks', async () => {
    const target = createServer((request, response) => request.resume().on('end', () => response.end('ok')))
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve))
    const to = `http://127.0.0.1:${(target.address() as AddressInfo).port}/hooks`
    const listener = home.start(['webhooks', 'listen', '--port', '0', '--forward', to, '--json'])
    const ready = JSON.parse(await listener.line())
    conforms('webhooks listen', ready)
    await printed('webhooks list')
    await printed('webhooks get', [ready.subscription_id])
    await printed('webhooks test', [ready.subscription_id])
    const received = JSON.parse(await listener.line((line) => line.includes('webhook.test')))
    conforms('webhooks listen', received)
    await printed('webhooks events')
    await printed('webhooks stats')
    await printed('webhooks show', [received.event_id])
    await printed('webhooks replay', [received.event_id])
    await printed('webhooks reverify')
    await printed('webhooks expect', ['webhook.test', '--since', '1m', '--within', '10s'])
    const secret = { BANKAPI_WEBHOOK_SECRET: 'whsec_test' }
    await printed('webhooks trigger', ['connection.active', '--to', to], { env: secret })
    await printed('webhooks verify', ['--timestamp', '1', '--signature', 'ab'], {
      env: secret,
      input: '{}',
      exit: 12,
    })
    listener.process.kill('SIGINT')
    await listener.ended
    target.close()
    const url = ['--url', 'https://example.com/hooks', '--events', 'connection.active', '--print-secret']
    const { id } = await printed('webhooks create', url)
    await printed('webhooks update', [id, '--events', 'connection.failed'])
    await printed('webhooks rotate-secret', [id, '--yes', '--print-secret'])
    await printed('webhooks delete', [id, '--yes'], { env: { ...secret } })
  })

  it('for the mirror', async () => {
    await printed('sync')
    await printed('sync', ['--refresh', '--yes'])
    await printed('emulator bank', ['relink', 'con_FDE_123'])
    const watch = home.start(['sync', '--watch', '--port', '0', '--json'])
    conforms('sync', JSON.parse(await watch.line()))
    conforms('sync', JSON.parse(await watch.line((line) => line.includes('"outcome"'))))
    await printed('emulator trigger', ['account.refresh.completed', '--connection', 'con_AGGREGATOR_A_1001'])
    conforms('sync', JSON.parse(await watch.line((line) => line.includes('"event_id"'))))
    conforms('sync', JSON.parse(await watch.line((line) => line.includes('"reread_at"'))))
    watch.process.kill('SIGTERM')
    expect((await watch.ended).code).toBe(0)
    await printed('sync query', ['select id, name from clients'])
    await printed('sync schema')
    await printed('sync schema', ['--sql'])
    const { data } = await home.json<{ data: { old_account_id: string; new_account_id: string }[] }>([
      ...['sync', 'lineage', 'list'],
    ])
    await printed('sync lineage list')
    const pair = [data[0]?.old_account_id ?? '', data[0]?.new_account_id ?? '']
    await printed('sync lineage confirm', pair)
    await printed('sync lineage reject', pair)
    await printed('sync status', ['--max-age', '1d'])
    await printed('emulator faults add', ['GET /accounts', '--status', '422'])
    await home.run(['sync'])
    await printed('sync status', [], { exit: 9 })
    await printed('sync forget', ['cli_demo', '--yes'])
    if (postgres === undefined) checked.add('sync worker')
    else await printed('sync worker', ['--to', await postgres.database(), '--once'], { exit: 9 })
  })

  it('for the emulator', async () => {
    conforms('emulator start', JSON.parse(await home.emulator.line()))
    await printed('emulator status')
    await printed('emulator advance', ['1m'])
    await printed('emulator faults add', ['POST /connections/*/refresh', '--status', '503', '--times', '1'])
    await printed('emulator faults add', ['GET /clients', '--delay', '5'])
    const transactions = ['GET /accounts/*/transactions', '--refuse-cursor', '--after', '2']
    await printed('emulator faults add', transactions)
    await printed('emulator faults add', ['GET /clients', '--status', '429', '--retry-after', '3', '--drop'])
    await printed('emulator faults list')
    const { stdout } = await home.run(['emulator', 'faults', 'list'])
    const rows = stdout.trimEnd().split('\n')
    expect(rows.map((row) => row.split('\t').slice(1, 4))).toEqual([
      ['POST /connections/*/refresh', '503', ''],
      ['GET /clients', '', '5'],
      ['GET /accounts/*/transactions', '', ''],
      ['GET /clients', '429', ''],
    ])
    expect(new Set(rows.map((row) => row.split('\t').length))).toEqual(new Set([11]))
    await printed('emulator faults clear')
    await printed('emulator trigger', ['connection.failed', '--connection', 'con_FDE_123'])
    await printed('emulator bank', ['record', 'acc_FDE_12301', '--amount', '-3.50'])
    await printed('emulator bank', ['rerecord', 'acc_FDE_12301', '--count', '3'])
    await printed('emulator bank', ['relink', 'con_FDE_123'])
    await printed('emulator refuse-cursors')
    await printed('emulator logs')
    await printed('emulator logs', ['--failed', '--bodies'])
    await printed('emulator reset', ['--yes'])
    const another = await createEmulatorHome()
    onTestFinished(() => another.remove())
    await printed('emulator stop', [], { at: another })
  })

  afterAll(() => {
    expect(
      Object.keys(jsonOutputs()).filter((words) => !checked.has(words)),
      'every command that has a schema is run by one of these tests',
    ).toEqual([])
  })
})

describe('every command', () => {
  it('has a schema, or a reason for having none', () => {
    const named = [...Object.keys(jsonOutputs()), ...Object.keys(shapeless)]
    expect(
      listedCommands()
        .map(({ words }) => words)
        .filter((words) => !named.includes(words)),
      'give it a schema in scripts/docs/output-schemas.ts',
    ).toEqual([])
  })

  it('has a file for its schema, and the only other file is that of errors', () => {
    const files = ['error.json', ...Object.keys(jsonOutputs()).map(schemaFile)]
    expect(readdirSync(folder).toSorted()).toEqual(files.toSorted())
  })
})

it('errors of every kind are valid by schemas/error.json', async () => {
  writeFileSync(join(home.folder, 'no.pdf'), 'no PDF')
  const failing = [
    ['connections', 'get', 'con_FDE_999'],
    ['connections', 'get', 'con_1c9d4f0e-7a52-4b8f-9a1e-3c1f2d4b5a6c'],
    ['clients', 'list', '--nope'],
    ['clients', 'list', '--cursor', 'made-up'],
    ['statements', 'extract', join(home.folder, 'no.pdf')],
    ['webhooks', 'create', '--url', 'http://not-https.example', '--events', 'connection.active'],
  ]
  for (const args of failing) {
    const { code, stdout, stderr } = await home.run([...args, '--json'])
    expect(stdout).toBe('')
    const document = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    expect(faults('error.json', document), stderr).toBe('')
    expect(document.error.exit_code).toBe(code)
  }
})

it('a schema rejects an invalid document', () => {
  expect(faults('whoami.json', { environment: 'local' })).toContain('base_url')
  expect(faults('clients-list.json', { data: [{}], has_more: false })).toContain('data[0].id')
  expect(faults('config-unset.json', { name: 'a', was_set: true, more: 1 })).toContain('more')
})
