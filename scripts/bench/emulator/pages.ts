/** Compares the first page of a list with one from its middle. */
import { once } from 'node:events'
import { connect } from 'node:net'
import type { CrowdSize } from '../../../src/emulator/catalog/crowd-model.ts'
import { median } from '../median.ts'
import { accountId, clientId } from './crowd.ts'
import { getRequest, timeRequest } from './load-generator.ts'
import { type BuiltEmulator, startBuilt } from './processes.ts'

export interface PageCosts {
  readonly list: string
  /** Milliseconds, medians. */
  readonly first: number
  readonly middle: number
  readonly ratio: number
}

/** Rounds before measuring. */
const warmUp = 50

/** Measures two lists, the Clients and the transactions of a Client in their middle, requesting first and middle page in turns. */
export async function measurePages(home: string, crowd: CrowdSize, rounds: number): Promise<PageCosts[]> {
  const emulator = await startBuilt(home)
  try {
    const half = Math.ceil(crowd.clients / 2)
    const transactions = `/v3/accounts/${accountId(half)}/transactions?client_id=${clientId(half)}&limit=50`
    return [
      await compare(emulator, `100 of ${crowd.clients} clients`, '/v3/clients?limit=100', half, rounds),
      await compare(
        emulator,
        `50 of an account's ${crowd.transactions} transactions`,
        transactions,
        crowd.transactions / 2,
        rounds,
      ),
    ]
  } finally {
    await emulator.stop()
  }
}

async function compare(
  emulator: BuiltEmulator,
  list: string,
  path: string,
  skip: number,
  rounds: number,
): Promise<PageCosts> {
  const cursor = await cursorAfter(emulator, path, skip)
  const first = getRequest(path, emulator.key)
  const middle = getRequest(`${path}&cursor=${cursor}`, emulator.key)
  const socket = connect(emulator.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.setNoDelay(true)
  const times = { first: [] as number[], middle: [] as number[] }
  for (let round = -warmUp; round < rounds; round += 1) {
    const pair = [await timeRequest(socket, first), await timeRequest(socket, middle)] as const
    if (round < 0) continue
    times.first.push(pair[0])
    times.middle.push(pair[1])
  }
  socket.destroy()
  const [one, other] = [median(times.first), median(times.middle)]
  return { list, first: one, middle: other, ratio: other / one }
}

/** The cursor after `skip` rows. */
async function cursorAfter({ port, key }: BuiltEmulator, path: string, skip: number): Promise<string> {
  let cursor = ''
  for (let seen = 0; seen < skip; ) {
    const url = `http://127.0.0.1:${port}${path}${cursor === '' ? '' : `&cursor=${cursor}`}`
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
    const page = (await response.json()) as { data: unknown[]; next_cursor: string | null }
    seen += page.data.length
    if (page.next_cursor === null) throw new Error(`${path} ended after ${seen}`)
    cursor = page.next_cursor
  }
  return cursor
}
