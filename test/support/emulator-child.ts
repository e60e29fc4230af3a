/** Runs an emulator as a process that tests kill. Arguments: its data folder, and options as JSON. */
import { startEmulator } from '../../src/emulator/start.ts'

const [dataDir = '', options = '{}'] = process.argv.slice(2)
const quick = { firstSignalMs: 20, refreshDurationMs: 20, retryMs: 50 }
const { sandbox } = await startEmulator({ port: 0, livePort: 0, dataDir, ...quick, ...JSON.parse(options) })
process.stdout.write(`${JSON.stringify({ sandbox })}\n`)
