import { EmulatorCommand } from './_emulator-control.ts'

export default class EmulatorRefuseCursors extends EmulatorCommand<typeof EmulatorRefuseCursors, object> {
  static override summary = 'Refuse every cursor given out until now'
  static override description =
    'As a cursor of another query is: 400 invalid_request. A list that is read from its first page works as before.'
  static override examples = ['<%= config.bin %> emulator refuse-cursors']

  protected override async execute(): Promise<object> {
    return (await this.control.post('/refuse-cursors')) as object
  }

  protected override view(): string {
    return 'Cursors given out until now are refused.'
  }
}
