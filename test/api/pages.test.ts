/** Paging through lists to their end. */
import { expect, test } from 'vitest'
import { items, pages } from '../../src/api/pages.ts'
import { connect, failureOf } from './client.ts'
import { json, serve } from './servers.ts'

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const one of list) found.push(one)
  return found
}

const client_id = 'cli_1'

test('items follow the cursor to the last page, with the same query', async () => {
  const server = await serve((_, response, number) =>
    json(response, 200, {
      data: [{ id: `acc_FDE_${number}a` }, { id: `acc_FDE_${number}b` }],
      has_more: number < 3,
      next_cursor: number < 3 ? `c${number}` : null,
    }),
  )
  const { api } = connect(server.baseUrl)
  const found = await all(items(api.accounts.list, { client_id, limit: 2 }))
  expect(found.map(({ id }) => id)).toEqual([1, 2, 3].flatMap((n) => [`acc_FDE_${n}a`, `acc_FDE_${n}b`]))
  expect(server.heard.map(({ url }) => url)).toEqual([
    '/v3/accounts?client_id=cli_1&limit=2',
    '/v3/accounts?client_id=cli_1&limit=2&cursor=c1',
    '/v3/accounts?client_id=cli_1&limit=2&cursor=c2',
  ])
})

test('a page is requested only when it is needed', async () => {
  const server = await serve((_, response, number) =>
    json(response, 200, { data: [{ id: 'x' }], has_more: true, next_cursor: `c${number}` }),
  )
  const { api } = connect(server.baseUrl)
  for await (const page of pages(api.clients.list, {})) {
    expect(page.data).toHaveLength(1)
    break
  }
  expect(server.heard).toHaveLength(1)
})

test('an empty page in the middle does not end the list', async () => {
  const server = await serve((_, response, number) =>
    json(response, 200, { data: number === 2 ? [{ id: 'x' }] : [], has_more: number < 2, next_cursor: 'c' }),
  )
  const { api } = connect(server.baseUrl)
  expect(await all(items(api.clients.list, {}))).toHaveLength(1)
})

test.each([
  ['a cursor that comes back', { has_more: true, next_cursor: 'same' }, 2],
  ['the cursor it started from', { has_more: true, next_cursor: 'start' }, 1],
  ['more without a cursor', { has_more: true, next_cursor: null }, 1],
  ['more with an empty cursor', { has_more: true, next_cursor: '' }, 1],
  ['no word on whether there is more', { next_cursor: 'c' }, 1],
  ['"true" in quotation marks', { has_more: 'true', next_cursor: 'c' }, 1],
])('%s is an error, not a loop and not an early end', async (_, envelope, requests) => {
  const server = await serve((_request, response) =>
    json(response, 200, { data: [{ id: 'x' }], ...envelope }),
  )
  const { api } = connect(server.baseUrl)
  const failure = await failureOf(all(items(api.clients.list, { cursor: 'start' })))
  expect(failure).toMatchObject({ code: 'unreadable_response', reason: 'paging' })
  expect(server.heard).toHaveLength(requests)
})
