/** Compares the emulator's reads per second with the bare server's, each over its own data from the same seed, in turns. */
import type { CrowdSize } from '../../../src/emulator/catalog/crowd-model.ts'
import { median } from '../median.ts'
import { accountId, clientId } from './crowd.ts'
import { generateLoad, getRequest } from './load-generator.ts'
import { type RunningServer, startBare, startBuilt } from './processes.ts'

export interface Reads {
  readonly read: string
  readonly emulator: Speed
  readonly bare: Speed
  /** Median of the ratios of each round, in which both ran under the same load. */
  readonly ratio: number
}

/** Medians over the rounds. */
interface Speed {
  /** Answers per second. */
  readonly rate: number
  /** Microseconds of processor time per answer, which other work on the machine affects less. NaN where it is unknown. */
  readonly processor: number
}

const connections = 8

export async function measureReads(
  homes: { readonly emulator: string; readonly bare: string },
  crowd: CrowdSize,
  timing: { readonly rounds: number; readonly ms: number },
): Promise<Reads[]> {
  const emulator = await startBuilt(homes.emulator)
  const bare = await startBare(homes.bare)
  try {
    const queries = Array.from({ length: crowd.clients }, (_, index) => ({
      path: `/v3/accounts/${accountId(index + 1)}`,
      client: `client_id=${clientId(index + 1)}`,
    }))
    const account = queries.map(({ path, client }) => `${path}?${client}`)
    const page = queries.map(({ path, client }) => `${path}/transactions?${client}&limit=100`)
    const requests = (paths: string[]) => paths.map((path) => getRequest(path, emulator.key))
    const servers = { emulator, bare }
    return [
      { read: 'GET an account', ...(await race(servers, requests(account), timing)) },
      { read: 'GET 100 transactions', ...(await race(servers, requests(page), timing)) },
    ]
  } finally {
    await emulator.stop()
    await bare.stop()
  }
}

async function race(
  servers: Readonly<Record<'emulator' | 'bare', RunningServer>>,
  requests: readonly Buffer[],
  { rounds, ms }: { readonly rounds: number; readonly ms: number },
): Promise<Omit<Reads, 'read'>> {
  const speeds = { emulator: [] as Speed[], bare: [] as Speed[] }
  // The first round warms both up and does not count.
  for (let round = -1; round < rounds; round += 1) {
    // Rounds begin with one and the other in turns.
    const order = round % 2 === 0 ? (['emulator', 'bare'] as const) : (['bare', 'emulator'] as const)
    for (const name of order) {
      const speed = await speedOf(servers[name], requests, ms)
      if (round >= 0) speeds[name].push(speed)
    }
  }
  const ratios = speeds.emulator.map(({ rate }, round) => rate / (speeds.bare[round]?.rate ?? Number.NaN))
  return { emulator: middle(speeds.emulator), bare: middle(speeds.bare), ratio: median(ratios) }
}

async function speedOf(server: RunningServer, requests: readonly Buffer[], ms: number): Promise<Speed> {
  const before = server.processorTime() ?? Number.NaN
  const { rate, answers } = await generateLoad({ port: server.port, requests, connections, ms })
  const used = (server.processorTime() ?? Number.NaN) - before
  return { rate, processor: (used * 1000) / answers }
}

function middle(speeds: readonly Speed[]): Speed {
  return {
    rate: median(speeds.map(({ rate }) => rate)),
    processor: median(speeds.map(({ processor }) => processor)),
  }
}
