import { expect, it } from 'vitest'
import { json, serve } from '../api/servers.ts'
import { createHome } from '../support/cli.ts'

/** A list of 2000 Clients whose pages are at most `size`; `rowAt` makes the row at a place in it. */
async function service({
  size = (asked: number) => Math.min(asked, 500),
  rowAt = (place: number) => ({ id: `cli_${place}` }),
} = {}) {
  const { baseUrl, heard } = await serve(({ url }, response) => {
    const query = new URL(url, 'http://localhost').searchParams
    const start = Number(query.get('cursor')?.slice(3) ?? 0)
    const end = Math.min(start + size(Number(query.get('limit') ?? 100)), 2000)
    const data = Array.from({ length: end - start }, (_, index) => rowAt(start + index))
    json(response, 200, { data, has_more: end < 2000, next_cursor: end < 2000 ? `at-${end}` : null })
  })
  const home = createHome({
    env: { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: 'sk_test_ab12cdef' },
  })
  return {
    list: (...flags: string[]) => home.run(['clients', 'list', ...flags]),
    page: (...flags: string[]) =>
      home.json<{ data: { id: string }[]; next_cursor: string | null; has_more: boolean }>([
        'clients',
        'list',
        ...flags,
      ]),
    limits: () =>
      heard
        .splice(0)
        .map(({ url }) => Number(new URL(url, 'http://localhost').searchParams.get('limit') ?? 100)),
  }
}
const ids = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `cli_${from + index}`)

it('limit: above 500 is capped, not rejected; more rows are read in several pages, the last of which ends with the last row', async () => {
  const { list, page, limits } = await service()
  const first = await page('--limit', '1200')
  expect(first.data.map(({ id }) => id)).toEqual(ids(0, 1200))
  expect(first).toMatchObject({ has_more: true, next_cursor: 'at-1200' })
  expect(limits()).toEqual([500, 500, 200])

  const next = await page('--limit', '501', '--cursor', 'at-1200')
  expect(next.data.map(({ id }) => id)).toEqual(ids(1200, 1701))
  expect(limits()).toEqual([500, 1])

  const last = await page('--limit', '100000', '--cursor', 'at-1701')
  expect(last.data.map(({ id }) => id)).toEqual(ids(1701, 2000))
  expect(last).toMatchObject({ has_more: false, next_cursor: null })

  const { code, stdout, stderr } = await list('--limit', '1200', '-o', 'ndjson')
  expect([code, stdout.trim().split('\n').length]).toEqual([0, 1200])
  expect(stderr).toBe('There is more: a larger --limit, or --cursor at-1200\n')
  expect((await list('--limit', '0')).code).toBe(2)
})

it('--all --limit reads at most so many rows', async () => {
  const { list, page, limits } = await service()
  const some = await page('--all', '--limit', '7')
  expect(some.data.map(({ id }) => id)).toEqual(ids(0, 7))
  expect(some).toMatchObject({ has_more: true, next_cursor: 'at-7' })
  expect(limits()).toEqual([7])
  const { stdout } = await list('--all', '--limit', '700', '-o', 'csv', '--columns', 'id')
  expect(stdout.trim().split('\n').length).toBe(1 + 700)
  const all = await page('--all')
  expect(all).toMatchObject({ data: { length: 2000 }, has_more: false, next_cursor: null })
})

it('a page that is larger than asked for is cut, which is said, and no cursor would begin with its next row', async () => {
  const { list } = await service({ size: () => 400 })
  const { stdout, stderr } = await list('--limit', '1000', '--json')
  const { data, ...rest } = JSON.parse(stdout)
  expect(data.map(({ id }: { id: string }) => id)).toEqual(ids(0, 1000))
  expect(rest).toEqual({ has_more: true, next_cursor: null })
  expect(stderr).toBe(
    'There is more: --all (no cursor: the service sent a larger page than was asked for, and 200 of its rows are left out; ' +
      'it begins at --cursor at-800)\n',
  )
})

it('a row that comes again on a later page is shown once, and does not count twice', async () => {
  const { page, limits } = await service({ rowAt: (place) => ({ id: `cli_${place === 510 ? 1 : place}` }) })
  const { data, next_cursor } = await page('--limit', '600')
  expect(data.map(({ id }) => id)).toEqual(ids(0, 601).filter((id) => id !== 'cli_510'))
  expect([limits(), next_cursor]).toEqual([[500, 100, 1], 'at-601'])
})

const formats = [
  [],
  ['--json'],
  ['-o', 'json'],
  ['-o', 'yaml'],
  ['-o', 'ndjson', '--limit', '100'],
  ['-o', 'csv', '--limit', '100'],
  ['-o', 'csv', '--limit', '700', '--columns', 'id'],
  ['--jq', '.data[0].id'],
  ['--columns', 'id'],
  ['--all', '--limit', '100'],
  ['--limit', '700'],
  ['--json', '--limit', '700'],
]

it.each(formats.map((flags) => ({ flags })))(
  'a list that was cut says so on stderr, with $flags',
  async ({ flags }) => {
    const { list } = await service()
    const { code, stdout, stderr } = await list(...flags)
    const shown = flags.includes('700') ? 700 : 100
    expect(code).toBe(0)
    expect(stderr).toMatch(
      new RegExp(`^There is more: (--all|a larger --limit), or --cursor at-${shown}\\n$`),
    )
    expect(stdout).not.toContain('There is more')
    const whole = await list(...flags.filter((flag) => !/^--limit$|^\d+$/.test(flag)), '--all')
    expect([whole.code, whole.stderr]).toEqual([0, ''])
  },
)

it.each(['csv', 'ndjson'])('-o %s reads every page, and goes on from a cursor to the end', async (format) => {
  const { list, limits } = await service()
  const rows = async (...flags: string[]) => {
    const { stdout, stderr } = await list('-o', format, ...flags)
    expect(stderr).toBe('')
    const lines = stdout.trim().split('\n')
    return format === 'csv' ? lines.length - 1 : lines.length
  }
  expect(await rows()).toBe(2000)
  expect(limits()).toEqual([500, 500, 500, 500])
  expect(await rows('--cursor', 'at-900')).toBe(1100)
})
