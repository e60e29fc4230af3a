/** An emulator in a process of its own, to be killed: starts over the folder named in the arguments, prints its addresses. */
import { startEmulator } from '../../src/emulator/start.ts'

const [dataDir = ''] = process.argv.slice(2)
const emulator = await startEmulator({
  port: 0,
  livePort: 0,
  dataDir,
  firstSignalMs: 20,
  refreshDurationMs: 20,
  retryMs: 50,
})
process.stdout.write(`${JSON.stringify({ sandbox: emulator.sandbox, status: emulator.status() })}\n`)
