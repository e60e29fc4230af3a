import { describe, expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { createEmulatorHome, emulatorHome } from '../support/emulator-process.ts'

const account = 'acc_AGGREGATOR_A_100101'

interface Changed {
  readonly transaction_id: string
  readonly connection_id: string
  readonly count: number
}

describe('emulator bank', () => {
  const home = emulatorHome()
  const bank = (...args: string[]) => home.json<Changed>(['emulator', 'bank', ...args])
  const listed = async (id = account) =>
    (
      await home.json<{ data: { id: string; amount: number; pending: boolean }[] }>([
        ...['transactions', 'list', id, '--client', 'cli_demo', '--all'],
      ])
    ).data
  const there = async (id: string) => (await listed()).some((row) => row.id === id)

  it('reissues a pending charge with a gap and a tip', async () => {
    const held = await bank('record', account, '--amount', '-20', '--pending', '--description', 'NOODLE YARD')
    const { transaction_id } = await bank(
      ...['reissue', account, '--transaction', held.transaction_id, '--as', 'tip', '--gap', '3h'],
    )
    expect([await there(held.transaction_id), await there(transaction_id)]).toEqual([false, false])
    await home.json(['emulator', 'advance', '3h'])
    const settled = (await listed()).find(({ id }) => id === transaction_id)
    expect(settled?.pending).toBe(false)
    expect(-(settled?.amount ?? 0)).toBeGreaterThanOrEqual(20)
    expect(-(settled?.amount ?? 0)).toBeLessThanOrEqual(26)
  })

  it('changes, takes back and moves transactions, and records them again', async () => {
    const [first, second, third] = await listed()
    const at = ['--transaction', second?.id ?? '']
    await bank('edit', account, ...at, '--amount', '-12.5', '--quiet', '--keeps-place')
    expect((await listed())[1]).toMatchObject({ id: second?.id, amount: -12.5 })
    await bank('retract', account, ...at)
    expect(await there(second?.id ?? '')).toBe(false)
    await bank('restore', account, ...at)
    expect((await listed())[0]?.id).toBe(second?.id)
    await bank('move', account, '--transaction', third?.id ?? '', '--to', 'acc_AGGREGATOR_A_100102')
    expect(await there(third?.id ?? '')).toBe(false)
    expect((await bank('rerecord', account, '--count', '5')).count).toBe(5)
    expect((await listed())[6]?.id).toBe(first?.id)
  })

  it('links a bank again, and lets an account go away', async () => {
    const { connection_id } = await bank('relink', 'con_AGGREGATOR_A_1001', '--days', '30', '--keep-old')
    expect(connection_id).toMatch(/^con_AGGREGATOR_A_\d+$/)
    await bank('close', account)
    const read = await home.run(['accounts', 'get', account, '--client', 'cli_demo'])
    expect(read.code).toBe(5)
  })

  it.each([
    [['retract', account], 2, 'transaction'],
    [['close', account, '--count', '3'], 2, 'count'],
    [['edit', account, '--transaction', 'txn_FDE_none', '--amount', 'much'], 2, '"much" is not an amount'],
    [['reopen', account], 2, 'The account is there'],
    [['close', 'acc_FDE_none'], 5, 'No such account'],
  ])('%j is refused', async (args, code, said) => {
    const refused = await home.run(['emulator', 'bank', ...args])
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringContaining(said)])
  })
})

describe('cursors', () => {
  const home = emulatorHome()
  const list = ['transactions', 'list', account, '--client', 'cli_demo', '--limit', '2', '--json']
  const page = (...flags: string[]) => home.run([...list, ...flags])

  it('are refused when ordered, one or all until now', async () => {
    const { next_cursor } = JSON.parse((await page()).stdout) as { next_cursor: string }
    const next = ['--cursor', next_cursor]
    await home.json([
      'emulator',
      'faults',
      'add',
      'GET /accounts/*/transactions',
      '--refuse-cursor',
      '--times',
      '1',
    ])
    expect((await page(...next)).stderr).toContain('invalid_request')
    expect((await page(...next)).code).toBe(0)
    await home.json(['emulator', 'refuse-cursors'])
    expect((await page(...next)).stderr).toContain('invalid_request')
    expect((await page()).code).toBe(0)
  })
})

describe('emulator start --crowd', () => {
  it('has so many Clients, accounts and transactions more', async () => {
    const home = await createEmulatorHome(['--crowd', '20x3x40'])
    try {
      const { data } = await home.json<{ data: { id: string }[] }>([
        'accounts',
        'list',
        '--client',
        'cli_crowd_000020',
      ])
      expect(data).toHaveLength(3)
      const rows = ['transactions', 'list', data[2]?.id ?? '', '--client', 'cli_crowd_000020', '--all']
      expect((await home.json<{ data: unknown[] }>(rows)).data).toHaveLength(40)
    } finally {
      await home.remove()
    }
  })

  it.each(['20', '20x0x5', '20x100x5', 'axbxc', '-1x2x3'])('%s is no crowd (exit 2)', async (crowd) => {
    const { code, stderr } = await createHome().run(['emulator', 'start', '--memory', `--crowd=${crowd}`])
    expect([code, stderr]).toEqual([2, expect.stringContaining(`"${crowd}" is not a crowd`)])
  })

  it('another size than the data that is there was made with is refused (exit 2)', async () => {
    const home = createHome()
    const start = ['emulator', 'start', '--port', '0', '--live-port', '0', '--json']
    const first = home.start([...start, '--crowd', '2x1x3'])
    await first.line()
    await home.run(['emulator', 'stop'])
    await first.ended
    const { code, stderr } = await home.run([...start, '--crowd', '3x1x3'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('made with a crowd of 2x1x3')])
  })
})
