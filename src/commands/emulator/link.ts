import { Args } from '@oclif/core'
import { EmulatorCommand } from './_emulator-control.ts'

interface Linked {
  readonly connection_id: string
}

export default class EmulatorLink extends EmulatorCommand<typeof EmulatorLink, Linked> {
  static override summary = 'Finish the widget, as the user would'
  static override description =
    'Takes the placeholder con_<uuid> of an initiate (for FDE the canonical id) and answers with the canonical id. ' +
    'connection.active follows.'
  static override examples = ['<%= config.bin %> emulator link con_1c9d4f0e-7a52-4b8f-9a1e-3c1f2d4b5a6c']
  static override args = {
    id: Args.string({ description: 'con_<uuid>, or for FDE con_FDE_…', required: true, ignoreStdin: true }),
  }

  protected override async execute(): Promise<Linked> {
    return (await this.control.post('/link', { connection_id: this.args.id })) as Linked
  }

  protected override view({ connection_id }: Linked): string {
    return `Linked: ${connection_id}`
  }
}
