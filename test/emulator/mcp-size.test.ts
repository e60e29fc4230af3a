/** Answers of the connector stay under 20 kB, whatever an account holds. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { callTool, mcpClient, revisions } from '../support/connector-client.ts'
import { busyAccount, seedTransactions } from '../support/many-transactions.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const MAX_ANSWER = 20_000

test.each(revisions)('every answer about the demo data, and about a crowd (%s)', async (revision) => {
  const emulator = await runningEmulator({ crowd: { clients: 60, accounts: 30, transactions: 60 } })
  const sizes: number[] = []
  const client = await mcpClient(emulator, { revision, onAnswer: (bytes) => sizes.push(bytes) })
  const accounts = await emulator.accounts()
  const calls: [string, Record<string, unknown>][] = [
    ['list_clients', {}],
    ['search_institutions', {}],
    ['list_connections', { client_id: 'cli_demo' }],
    ['list_accounts', { client_id: 'cli_demo' }],
    ['list_accounts', { client_id: 'cli_crowd_000007' }],
    ...accounts.flatMap(({ id }): [string, Record<string, unknown>][] => [
      ['list_transactions', { client_id: 'cli_demo', account_id: id }],
      ['list_statements', { client_id: 'cli_demo', account_id: id }],
    ]),
  ]
  for (const [name, input] of calls)
    expect([name, (await callTool(client, name, input)).error]).toEqual([name, undefined])
  expect(sizes.length).toBeGreaterThan(calls.length)
  expect(Math.max(...sizes)).toBeLessThan(MAX_ANSWER)
})

test('a page of an account with 100,000 transactions', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bankapi-busy-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  await seedTransactions(dataDir, 100_000)
  const emulator = await runningEmulator({ memory: false, dataDir, realTime: true })
  const sizes: number[] = []
  const client = await mcpClient(emulator, { onAnswer: (bytes) => sizes.push(bytes) })
  const input = { client_id: 'cli_demo', account_id: busyAccount }
  const { content } = await callTool(client, 'list_transactions', input)
  expect([content.data.length, content.has_more]).toEqual([25, true])
  expect(Math.max(...sizes)).toBeLessThan(MAX_ANSWER)
})

test('long texts are cut, and a page has fewer rows where they are still too long; none is left out', async () => {
  const emulator = await runningEmulator()
  const account_id = 'acc_FDE_12301'
  const long = '鰯'.repeat(500)
  const ids = Array.from({ length: 30 }, () =>
    emulator.bank(account_id).record({ amount: -1, description: long, merchant_name: long, category: long }),
  )
  const sizes: number[] = []
  const client = await mcpClient(emulator, { onAnswer: (bytes) => sizes.push(bytes) })
  const read: { id: string; description: string }[] = []
  let cursor: string | undefined
  do {
    const input = { client_id: 'cli_demo', account_id, ...(cursor ? { cursor } : {}) }
    const { content } = await callTool(client, 'list_transactions', input)
    read.push(...content.data)
    cursor = content.next_cursor
  } while (read.length < ids.length)
  expect(read.slice(0, ids.length).map(({ id }) => id)).toEqual(ids.toReversed())
  expect(read[0]?.description).toBe(`${'鰯'.repeat(200)}…`)
  expect(Math.max(...sizes)).toBeLessThan(MAX_ANSWER)
})
