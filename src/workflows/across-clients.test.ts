import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { type Calls, fakeApi, fakeClock } from '../../test/support/fake-api.ts'
import { type ApiResponseDetails, ApiResponseError } from '../api/errors.ts'
import {
  type AcrossOptions,
  accountsAcross,
  type Call,
  clientsAcross,
  connectionsAcross,
  rowsAcross,
  type Subject,
} from './across-clients.ts'
import { Limiter } from './limiter.ts'

function refusal(httpStatus: number, code = 'not_found'): ApiResponseError {
  return new ApiResponseError({
    error: { code, message: `refused with ${httpStatus}` },
    httpStatus,
    envelope: true,
    operation: { method: 'GET', path: '/x' },
  } as ApiResponseDetails)
}

interface Paging {
  readonly cursor?: string
  readonly limit: number
}

/** Pages of two rows, and the cursor is where the next one begins. */
function pageOf(rows: readonly object[], { cursor = '0' }: Paging) {
  const next = Number(cursor) + 2
  const has_more = next < rows.length
  return { data: rows.slice(next - 2, next), has_more, next_cursor: has_more ? String(next) : null }
}

type Answers = { [client: string]: readonly string[] | Error }

/** A service whose Clients have the named Connections, with an account and rows each. */
function service(answers: Answers, failing: Readonly<Record<string, Error>> = {}) {
  const flight = { now: 0, most: 0 }
  const answer = async <T>(make: () => T): Promise<T> => {
    flight.now += 1
    flight.most = Math.max(flight.most, flight.now)
    for (let turn = 0; turn < 3; turn++) await setImmediate()
    flight.now -= 1
    return make()
  }
  const clients = Object.keys(answers).map((id) => ({ id, external_id: `ext-${id}` }))
  const connectionsOf = (id: string) => {
    const found = answers[id] ?? refusal(404)
    if (found instanceof Error) throw found
    return found.map((connection) => ({
      id: connection,
      institution: { id: `ins_${connection}`, name: `Bank ${connection}` },
    }))
  }
  const accountsOf = (id: string) => [
    ...connectionsOf(id).map(({ id: connection }) => ({
      id: `acc_${connection}`,
      connection_id: connection,
      name: 'Checking',
    })),
    { id: `acc_PDF_${id}`, connection_id: null, name: 'Paper' },
  ]
  const calls = {
    clients: { list: vi.fn((paging: Paging) => answer(() => pageOf(clients, paging))) },
    connections: {
      list: vi.fn(({ client_id, ...paging }: Paging & { client_id: string }) =>
        answer(() => pageOf(connectionsOf(client_id), paging)),
      ),
    },
    accounts: {
      list: vi.fn(({ client_id, ...paging }: Paging & { client_id: string }) =>
        answer(() => {
          if (failing[client_id] !== undefined) throw failing[client_id]
          return pageOf(accountsOf(client_id), paging)
        }),
      ),
    },
  }
  return { api: fakeApi(calls as unknown as Calls), calls, flight, answer }
}

function options(changes: Partial<AcrossOptions> = {}) {
  const failed: string[] = []
  const gone: string[] = []
  const name = ({ client, account }: Subject) => account?.id ?? client.id
  return {
    limiter: new Limiter({ clock: fakeClock(), concurrency: 4 }),
    signal: new AbortController().signal,
    onFailure: (subject: Subject) => void failed.push(name(subject)),
    onGone: (subject: Subject) => void gone.push(name(subject)),
    failed,
    gone,
    ...changes,
  }
}

async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

const many = Object.fromEntries(
  Array.from({ length: 25 }, (_, at) => [
    `cli_${at}`,
    Array.from({ length: at % 6 }, (_, n) => `con_FDE_${at}_${n}`),
  ]),
)

test('the Connections of every Client come in the order of the lists, read at once up to the bound', async () => {
  const { api, flight } = service(many)
  const found = await collect(connectionsAcross(api, options()))
  expect(found.map(({ client, connection }) => [client.id, connection.id])).toEqual(
    Object.entries(many).flatMap(([client, ids]) => ids.map((id) => [client, id])),
  )
  expect(found[0]?.client.external_id).toBe('ext-cli_1')
  expect(flight.most).toBe(4)
})

test('named Clients come in the order of their names, each once, as the list shows them', async () => {
  const { api } = service(many)
  const clients = ['cli_7', 'cli_2', 'cli_7']
  expect(await collect(clientsAcross(api, options({ clients })))).toEqual([
    { id: 'cli_7', external_id: 'ext-cli_7' },
    { id: 'cli_2', external_id: 'ext-cli_2' },
  ])
})

test('the list of Clients is read no further than to the last one that is named', async () => {
  const { api, calls } = service(many)
  await collect(connectionsAcross(api, options({ clients: ['cli_3'] })))
  expect(calls.clients.list).toHaveBeenCalledTimes(2)
})

test('a key that may not list Clients reads those that are named', async () => {
  const { api, calls } = service(many)
  calls.clients.list.mockRejectedValue(refusal(403, 'insufficient_scope'))
  const found = await collect(connectionsAcross(api, options({ clients: ['cli_1'] })))
  expect(found.map(({ client, connection }) => [client, connection.id])).toEqual([
    [{ id: 'cli_1' }, 'con_FDE_1_0'],
  ])
  await expect(collect(connectionsAcross(api, options()))).rejects.toThrow('403')
})

test('a Client that is listed twice is read once', async () => {
  const { api, calls } = service({ cli_a: ['con_FDE_1'] })
  const client = { id: 'cli_a' } as never
  calls.clients.list
    .mockResolvedValueOnce({ data: [client], has_more: true, next_cursor: 'x' })
    .mockResolvedValueOnce({ data: [client], has_more: false, next_cursor: null })
  expect(await collect(connectionsAcross(api, options()))).toHaveLength(1)
})

test('a Client that is gone when it is read is no failure', async () => {
  const { api } = service({ cli_a: ['con_FDE_1'], cli_b: refusal(404), cli_c: ['con_FDE_3'] })
  const across = options()
  const found = await collect(connectionsAcross(api, across))
  expect(found.map(({ connection }) => connection.id)).toEqual(['con_FDE_1', 'con_FDE_3'])
  expect(across).toMatchObject({ gone: ['cli_b'], failed: [] })
})

test('a named Client that the service does not know is a failure', async () => {
  const { api } = service({ cli_a: ['con_FDE_1'] })
  const across = options({ clients: ['cli_typo', 'cli_a'] })
  await expect(collect(connectionsAcross(api, across))).rejects.toMatchObject({ httpStatus: 404 })
  expect(across).toMatchObject({ gone: [], failed: ['cli_typo'] })
})

test('a Client that is refused ends the walk, after what was before it; with keepGoing the others follow', async () => {
  const answers = { cli_a: ['con_FDE_1'], cli_b: refusal(403, 'forbidden'), cli_c: ['con_FDE_3'] }
  const across = options()
  const found: string[] = []
  const reading = async () => {
    for await (const { connection } of connectionsAcross(service(answers).api, across)) {
      found.push(connection.id)
    }
  }
  await expect(reading()).rejects.toMatchObject({ httpStatus: 403 })
  expect(found).toEqual(['con_FDE_1'])
  expect(across.failed).toEqual(['cli_b'])

  const going = options({ keepGoing: true })
  const rest = await collect(connectionsAcross(service(answers).api, going))
  expect(rest.map(({ connection }) => connection.id)).toEqual(['con_FDE_1', 'con_FDE_3'])
  expect(going.failed).toEqual(['cli_b'])
})

test.each([
  [401, 'unknown_api_key'],
  [403, 'insufficient_scope'],
])('a %i %s ends the walk, because it fails every Client', async (status, code) => {
  const { api } = service({ cli_a: refusal(status, code), cli_b: ['con_FDE_2'] })
  const across = options({ keepGoing: true })
  await expect(collect(connectionsAcross(api, across))).rejects.toMatchObject({ code })
  expect(across.failed).toEqual([])
})

test('named Connections are read alone, and the walk ends with the last of them', async () => {
  const { api, calls } = service(many)
  const connections = ['con_FDE_2_1', 'con_FDE_4_0']
  const found = await collect(connectionsAcross(api, options({ connections })))
  expect(found.map(({ connection }) => connection.id)).toEqual(connections)
  expect(calls.connections.list.mock.calls.length).toBeLessThan(25)
  await expect(
    collect(connectionsAcross(api, options({ connections: ['con_FDE_2_1', 'con_FDE_9_9'] }))),
  ).rejects.toMatchObject({ code: 'connection_not_found', message: expect.stringContaining('con_FDE_9_9') })
})

test('accounts come with their Client and Connection; one without a Connection is left out by a choice of them', async () => {
  const { api } = service({ cli_a: ['con_FDE_1', 'con_FDE_2'] })
  const all = (await collect(accountsAcross(api, options()))).flat()
  expect(all.map(({ account, connection }) => [account.id, connection?.institution.name])).toEqual([
    ['acc_con_FDE_1', 'Bank con_FDE_1'],
    ['acc_con_FDE_2', 'Bank con_FDE_2'],
    ['acc_PDF_cli_a', undefined],
  ])
  const ofConnection = ({ id }: { id: string }) => id !== 'con_FDE_1'
  const some = (await collect(accountsAcross(api, options(), { ofConnection }))).flat()
  expect(some.map(({ account }) => account.id)).toEqual(['acc_con_FDE_2'])
  const named = (await collect(accountsAcross(api, options({ connections: ['con_FDE_1'] })))).flat()
  expect(named.map(({ account }) => account.id)).toEqual(['acc_con_FDE_1'])
})

test('rows of accounts come in order; an account that is gone is left out, one that fails is named', async () => {
  const { api, answer } = service({ cli_a: ['con_FDE_1', 'con_FDE_2'], cli_b: ['con_FDE_3'] })
  const read = async function* ({ account }: { account: { id: string } }, call: Call) {
    if (account.id.startsWith('acc_PDF')) throw refusal(account.id.endsWith('a') ? 404 : 422)
    for (const row of [1, 2]) yield await call(() => answer(() => ({ id: `${account.id}/${row}` })))
  }
  const across = options({ keepGoing: true })
  const rows = await collect(rowsAcross(api, across, {}, read))
  expect(rows.map(({ id }) => id)).toEqual([
    'acc_con_FDE_1/1',
    'acc_con_FDE_1/2',
    'acc_con_FDE_2/1',
    'acc_con_FDE_2/2',
    'acc_con_FDE_3/1',
    'acc_con_FDE_3/2',
  ])
  expect(across).toMatchObject({ gone: ['acc_PDF_cli_a'], failed: ['acc_PDF_cli_b'] })
})

test('a reader that leaves aborts the requests under way', async () => {
  const { api, calls } = service(many)
  const signals: AbortSignal[] = []
  const list = calls.connections.list.getMockImplementation()
  calls.connections.list.mockImplementation((...args: unknown[]) => {
    signals.push((args[1] as { signal: AbortSignal }).signal)
    return list?.(args[0] as never) as never
  })
  for await (const _ of connectionsAcross(api, options())) break
  expect(signals.length).toBeGreaterThan(0)
  expect(signals.every(({ aborted }) => aborted)).toBe(true)
})

test('an aborted walk rejects with the reason of the signal, and blames no Client', async () => {
  const abort = new AbortController()
  const reason = new Error('interrupted')
  const { api } = service(many)
  const across = options({ signal: abort.signal, keepGoing: true })
  const reading = async () => {
    for await (const _ of connectionsAcross(api, across)) abort.abort(reason)
  }
  await expect(reading()).rejects.toBe(reason)
  expect(across.failed).toEqual([])
})
