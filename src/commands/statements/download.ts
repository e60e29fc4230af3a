import { DownloadCommand, downloadFlags, type SavedFile } from '../../cli/command/download-command.ts'
import { idArg } from '../../cli/command/flags.ts'

export default class StatementsDownload extends DownloadCommand<typeof StatementsDownload> {
  static override summary = "Download a statement's PDF"
  static override description =
    'The file appears under its name only when it is whole and really is a PDF. A file that is there is never replaced ' +
    'without --force.'
  static override examples = [
    '<%= config.bin %> statements download stmt_FDE_9 --client cli_demo',
    '<%= config.bin %> statements download stmt_FDE_9 --client cli_demo -O - | pdftotext - -',
  ]
  static override args = { id: idArg({ summary: 'Statement, stmt_<SOURCE>_<id>', prefix: 'stmt_' }) }
  static override flags = downloadFlags

  protected override async execute(): Promise<SavedFile | undefined> {
    const statement_id = this.args.id
    const client_id = this.clientId
    return this.download(
      statement_id,
      () => '.pdf',
      isPdf,
      () => this.api.statements.download({ statement_id, client_id }, { signal: this.signal }),
    )
  }
}

function isPdf(head: Uint8Array): string | undefined {
  const marker = Buffer.from(head.subarray(0, 5)).toString('latin1')
  return marker === '%PDF-' ? undefined : 'What the service sent is not a PDF; nothing was kept'
}
