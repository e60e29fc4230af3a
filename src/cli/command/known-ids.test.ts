import { chmodSync, existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, testMachine } from '../../../test/support/machine.ts'
import { KnownIds } from './known-ids.ts'

function setUp() {
  const folder = temporaryFolder()
  const machine = testMachine({ BANKAPI_DATA_DIR: folder })
  const open = (environment = 'sandbox') => new KnownIds(machine, environment)
  const save = (...answers: unknown[]) => {
    const ids = open()
    for (const answer of answers) ids.note(answer)
    ids.save()
  }
  return { path: join(folder, 'known-ids-sandbox.json'), open, save }
}

const none = { cli: [], con: [], acc: [], op: [], whk: [] }

test('ids of resources and of the rows of lists are kept, 0600, and nothing else of them', () => {
  const { path, open, save } = setUp()
  save(
    { id: 'cli_1', name: 'Ada Lovelace', email: 'ada@example.com' },
    { data: [{ id: 'con_FDE_1', client_id: 'cli_2', institution: { id: 'ins_1', name: 'Alder' } }] },
    { data: [{ id: 'acc_FDE_12', connection_id: 'con_FDE_1', number: '0123' }] },
    { operation_id: 'op_1', status: 'queued' },
    { id: 'whk_0a', url: 'https://example.com/hook', signing_secret: 'whsec_1' },
    { id: 'txn_FDE_1', account_id: 'acc_FDE_13', description: 'acc_FDE_14' },
  )
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    cli: ['cli_1', 'cli_2'],
    con: ['con_FDE_1'],
    acc: ['acc_FDE_12', 'acc_FDE_13'],
    op: ['op_1'],
    whk: ['whk_0a'],
  })
  expect(open('live').read()).toEqual(none)
})

test('a placeholder, and what a shell would not take as it is, are not kept', () => {
  const { open, save } = setUp()
  save({
    data: [
      { id: 'con_5418b79b-597a-45d0-a842-2c4921a0d6e7' },
      { id: 'con_FDE_$(touch /tmp/x)' },
      { id: 'cli_`id`' },
      { id: "cli_'" },
      { id: 'cli_a b' },
      { id: 'cli_a\nb' },
      { id: `cli_${'a'.repeat(200)}` },
      { id: 7 },
      null,
      'cli_9',
    ],
  })
  expect(open().read()).toEqual(none)
})

test('what others wrote into the file is held to the same rules when it is read', () => {
  const { path, open } = setUp()
  const write = (text: string) => writeFileSync(path, text, { mode: 0o600 })
  write(
    JSON.stringify({
      cli: ['cli_1', 'cli_$(id)', 'con_FDE_1', 3],
      con: 'con_FDE_1',
      __proto__: { acc: ['acc_FDE_1'] },
    }),
  )
  expect(open().read()).toEqual({ ...none, cli: ['cli_1'] })
  for (const text of ['', '[]', 'null', '{"cli":']) {
    write(text)
    expect(open().read()).toEqual(none)
  }
  write('{"cli":["cli_1"]}')
  chmodSync(path, 0o644)
  expect(open().read()).toEqual(none)
})

test('the file has a bound: 500 ids of each kind, the newest last; one command looks at 5,000 rows', () => {
  const { open, save } = setUp()
  const rows = (from: number, count: number) => ({
    data: Array.from({ length: count }, (_, at) => ({ id: `cli_${from + at}` })),
  })
  save(rows(0, 400))
  save(rows(400, 300))
  const { cli } = open().read()
  expect([cli.length, cli[0], cli.at(-1)]).toEqual([500, 'cli_200', 'cli_699'])

  const ids = open('live')
  ids.note({ data: Array.from({ length: 5_000 }, () => ({ id: 'txn_1' })) })
  ids.note({ id: 'cli_1' })
  ids.save()
  expect(open('live').read()).toEqual(none)
})

test('what is known already is not written again', () => {
  const { path, save } = setUp()
  save({ id: 'cli_1' }, { id: 'cli_2' })
  utimesSync(path, 1, 1)
  save({ id: 'cli_1' })
  expect(statSync(path).mtimeMs).toBe(1000)
  save({ id: 'cli_3' })
  expect(statSync(path).mtimeMs).not.toBe(1000)
})

test('a folder that cannot be written is no failure, and forgetting removes what was noted, too', () => {
  const file = join(temporaryFolder(), 'a-file')
  writeFileSync(file, '')
  const nowhere = new KnownIds(testMachine({ BANKAPI_DATA_DIR: join(file, 'below') }), 'sandbox')
  nowhere.note({ id: 'cli_1' })
  expect(() => nowhere.save()).not.toThrow()
  expect(nowhere.read()).toEqual(none)
  nowhere.forget()

  const { path, open, save } = setUp()
  save({ id: 'cli_1' })
  const ids = open()
  ids.note({ id: 'cli_2' })
  ids.forget()
  ids.save()
  expect(existsSync(path)).toBe(false)
})
