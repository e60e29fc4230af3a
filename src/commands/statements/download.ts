import {
  assertOneOrAll,
  DownloadCommand,
  type DownloadResult,
  downloadFlags,
} from '../../cli/command/download-command.ts'
import { statementFiles } from '../../cli/command/download-many.ts'
import { optionalIdArg } from '../../cli/command/flags.ts'

export default class StatementsDownload extends DownloadCommand<typeof StatementsDownload> {
  static override summary = "Download a statement's PDF, or those of whole accounts"
  static override description =
    'The file appears under its name only when it is whole and really is a PDF. A file that is there is never replaced ' +
    'without --force. With --to all statements of the --account, or of every account of the Client, go to ' +
    'DIR/<account>/<statement>.pdf; the same command again downloads what is new.'
  static override examples = [
    '<%= config.bin %> statements download stmt_FDE_9 --client cli_demo',
    '<%= config.bin %> statements download stmt_FDE_9 --client cli_demo -O - | pdftotext - -',
    '<%= config.bin %> statements download --client cli_demo --to statements',
    '<%= config.bin %> statements download --account acc_FDE_9 --client cli_demo --to statements -o csv',
  ]
  static override args = {
    id: optionalIdArg({ summary: 'Statement, stmt_<SOURCE>_<id>', prefix: 'stmt_' }),
  }
  static override flags = downloadFlags

  protected override async execute(): Promise<DownloadResult> {
    const { id: statement_id } = this.args
    const { to } = this.flags
    assertOneOrAll(statement_id !== undefined, to, 'statement')
    if (to !== undefined)
      return this.downloadAll({ ...statementFiles, extension: () => '.pdf', check: isPdf }, to)
    const client_id = this.clientId
    return this.download(
      statement_id ?? '',
      () => '.pdf',
      isPdf,
      () =>
        this.api.statements.download(
          { statement_id: statement_id ?? '', client_id },
          { signal: this.signal },
        ),
    )
  }
}

function isPdf(head: Uint8Array): string | undefined {
  const marker = Buffer.from(head.subarray(0, 5)).toString('latin1')
  return marker === '%PDF-' ? undefined : 'What the service sent is not a PDF; nothing was kept'
}
