/** Prints what a bench measured against its goals, and keeps the numbers with those of the machine in .bench-results/. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Line {
  readonly what: string
  readonly measured: string
  readonly compared: string
  readonly goal: string
  readonly met: boolean
}

const results = fileURLToPath(new URL('../../.bench-results/', import.meta.url))

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Runs a bench of this name. A goal that is missed ends the process with exit code 1. */
export async function report<Measured extends object>(
  name: string,
  measure: () => Promise<Measured>,
  linesOf: (measured: Measured) => readonly Line[],
): Promise<void> {
  const machine = {
    node: process.version,
    processor: cpus()[0]?.model,
    processors: availableParallelism(),
    // Before the bench adds its own.
    load: loadavg(),
  }
  const measured = await measure()
  const lines = linesOf(measured)
  say(`\n${table(name, lines)}\n`)
  mkdirSync(results, { recursive: true })
  const file = join(results, `${name}.json`)
  writeFileSync(file, `${JSON.stringify({ at: new Date().toISOString(), machine, ...measured }, null, 2)}\n`)
  say(`${machine.processors} × ${machine.processor}, load ${machine.load[0]?.toFixed(1)}; ${file}`)
  if (lines.some(({ met }) => !met)) process.exitCode = 1
}

function table(name: string, lines: readonly Line[]): string {
  const rows = [
    ['', name, 'compared', 'goal', ''],
    ...lines.map(({ what, measured, compared, goal, met }) => [
      what,
      measured,
      compared,
      goal,
      met ? 'met' : 'MISSED',
    ]),
  ]
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const padded = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  return rows.map((row) => padded(row).join('  ').trimEnd()).join('\n')
}
