import type { Fault } from '../../../emulator/control/faults.ts'
import type { Field } from '../../../output/fields.ts'
import type { View } from '../../../output/view.ts'
import { EmulatorCommand } from '../_emulator-control.ts'

interface Faults {
  readonly data: readonly Fault[]
}

/** In a pipe a column keeps its place, whatever was ordered. */
const fields: readonly Field<Fault>[] = [
  { key: 'id', kind: 'id' },
  { key: 'pattern', priority: 9 },
  { key: 'status', kind: 'number', priority: 8 },
  { key: 'delay_ms', kind: 'number', priority: 7 },
  { key: 'drop', kind: 'boolean', priority: 6 },
  { key: 'truncate', kind: 'boolean', priority: 5 },
  { key: 'retry_after', kind: 'number', priority: 4 },
  { key: 'refuse_cursor', kind: 'boolean', priority: 3 },
  { key: 'after', kind: 'number', priority: 2 },
  { key: 'times', kind: 'number', priority: 2 },
  { key: 'struck', kind: 'number', priority: 8 },
]

export default class EmulatorFaultsList extends EmulatorCommand<typeof EmulatorFaultsList, Faults> {
  static override summary = 'List the faults ordered, and how often each struck'
  static override examples = ['<%= config.bin %> emulator faults list']

  protected override async execute(): Promise<Faults> {
    const faults = (await this.control.get('/faults')) as Faults
    if (faults.data.length === 0) this.note('No faults are ordered.')
    return faults
  }

  protected override view({ data }: Faults, out: View): string {
    return out.tty && !out.hasColumns ? out.table(data) : out.table(data, fields)
  }
}
