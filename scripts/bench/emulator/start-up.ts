/** Measures how long the built emulator takes to start. */
import { startBuilt } from './processes.ts'

/** Milliseconds from spawn to the ready line, one number per run. */
export async function measureStart(
  home: string,
  runs: number,
  flags: readonly string[] = [],
): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const emulator = await startBuilt(home, flags)
    times.push(emulator.readyAfter)
    await emulator.stop()
  }
  return times
}
