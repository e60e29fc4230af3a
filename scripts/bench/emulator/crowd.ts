/** Seeds a data folder with many Clients, as the emulator's first start does. */
import { statSync } from 'node:fs'
import type { CrowdSize } from '../../../src/emulator/catalog/crowd-model.ts'
import { startEmulator } from '../../../src/emulator/start.ts'
import { dataDirOf, dataFileOf } from './processes.ts'

export interface Seeding extends CrowdSize {
  readonly rows: number
  readonly seconds: number
  readonly gigabytes: number
}

/** Starts an emulator that seeds `home`, and stops it again. */
export async function seed(home: string, crowd: CrowdSize): Promise<Seeding> {
  const begun = performance.now()
  const emulator = await startEmulator({ port: 0, livePort: 0, dataDir: dataDirOf(home), crowd })
  const seconds = (performance.now() - begun) / 1000
  await emulator.stop()
  const rows = crowd.clients * crowd.accounts * crowd.transactions
  return { ...crowd, rows, seconds, gigabytes: statSync(dataFileOf(home)).size / 1e9 }
}

/** Id of the `number`-th Client, from 1. */
export function clientId(number: number): string {
  return `cli_crowd_${String(number).padStart(6, '0')}`
}

/** Id of the first account of the `number`-th Client. */
export function accountId(number: number): string {
  return `acc_AGGREGATOR_A_crowd${String(number).padStart(6, '0')}01`
}
