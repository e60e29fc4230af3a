import { describe, expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorHome } from '../support/emulator-process.ts'

const home = emulatorHome()

describe('--columns without a value', () => {
  /** Runs without configuration and without a service: any request would fail. */
  const columns = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await createHome().run(args)
    expect([code, stderr]).toEqual([0, ''])
    return stdout.trim().split('\n')
  }

  it('lists the columns of a list, one per line, without a request', async () => {
    const names = await columns('transactions', 'list', 'acc_FDE_1', '--columns')
    expect(names).toEqual(expect.arrayContaining(['id', 'amount', 'date', 'pending']))
  })

  it('lists the columns of a record', async () => {
    expect(await columns('connections', 'get', 'con_FDE_1', '--columns')).toEqual(
      expect.arrayContaining(['id', 'status', 'last_error']),
    )
  })

  it('works before other flags, with = and nothing, and without the arguments', async () => {
    const names = await columns('transactions', 'list', '--columns')
    expect(await columns('transactions', 'list', '--columns', '--json')).toEqual(names)
    expect(await columns('transactions', 'list', '--columns=', 'acc_FDE_1')).toEqual(names)
  })

  it('every listed column is accepted', async () => {
    for (const words of [
      ['clients', 'list'],
      ['connections', 'get', 'con_FDE_123'],
      ['operations', 'list'],
    ]) {
      const names = await columns(...words, '--columns')
      const { code, stderr } = await home.run([...words, '--columns', names.join(',')])
      // stderr says that there are no operations yet.
      expect([code, stderr]).toEqual([
        0,
        words[0] === 'operations' ? expect.stringMatching(/^No operations/) : '',
      ])
    }
  })

  it('2: a command that learns its columns from the answer says so', async () => {
    const { code, stderr } = await home.run(['api', 'GET', '/clients', '--columns'])
    expect(code).toBe(2)
    expect(stderr).toContain('--columns needs a value')
  })
})

it('--columns chooses what a record shows', async () => {
  const { stdout } = await home.run(['connections', 'get', 'con_FDE_123', '--columns', 'status,id'])
  expect(stdout).toBe('status:\tactive\nid:\tcon_FDE_123\n')
})

it('2: for an unknown column of a record, the error lists the known ones', async () => {
  const { code, stderr } = await home.run(['connections', 'get', 'con_FDE_123', '--columns', 'nope'])
  expect(code).toBe(2)
  expect(stderr).toMatch(/Columns: .*status/s)
})
