import {
  assertOneOrAll,
  DownloadCommand,
  type DownloadResult,
  downloadFlags,
} from '../../cli/command/download-command.ts'
import { checkFiles } from '../../cli/command/download-many.ts'
import { optionalIdArg } from '../../cli/command/flags.ts'

export default class ChecksDownload extends DownloadCommand<typeof ChecksDownload> {
  static override summary = 'Download the image of a check (its front), or those of whole accounts'
  static override description =
    'With --to all checks of the --account, or of every FDE account of the Client, go to DIR/<account>/<check>.<ext>; the ' +
    'same command again downloads what is new. A file that is there is never replaced without --force.'
  static override examples = [
    '<%= config.bin %> checks download acc_FDE_9 chk_FDE_1 --client cli_demo -O check.jpg',
    '<%= config.bin %> checks download --client cli_demo --to checks',
    '<%= config.bin %> checks download acc_FDE_9 --client cli_demo --to checks',
  ]
  static override args = {
    account: optionalIdArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }),
    id: optionalIdArg({ summary: 'Check, chk_<SOURCE>_<id>', prefix: 'chk_' }),
  }
  static override flags = downloadFlags

  protected override async execute(): Promise<DownloadResult> {
    const { account, id } = this.args
    const { to } = this.flags
    assertOneOrAll(id !== undefined, to, 'account and check')
    if (to !== undefined)
      return this.downloadAll({ ...checkFiles, extension: extensionOf, check: isImage }, to, account)
    const input = { account_id: account ?? '', check_id: id ?? '', client_id: this.clientId }
    return this.download(input.check_id, extensionOf, isImage, () =>
      this.api.checks.download(input, { signal: this.signal }),
    )
  }
}

/** The first bytes of the image formats that a bank may deliver. */
const markers: readonly (readonly [extension: string, marker: RegExp])[] = [
  ['.jpg', /^\xff\xd8\xff/],
  ['.png', /^\x89PNG/],
  ['.gif', /^GIF8/],
  ['.tif', /^(II\*\0|MM\0\*)/],
]

function isImage(head: Uint8Array): string | undefined {
  const text = Buffer.from(head).toString('latin1')
  return markers.some(([, marker]) => marker.test(text))
    ? undefined
    : 'What the service sent is not an image; nothing was kept'
}

/** The file extension for a Content-Type, which names the real format. */
function extensionOf(contentType: string): string {
  const subtype = contentType.split(';')[0]?.trim().toLowerCase()
  return { 'image/png': '.png', 'image/gif': '.gif', 'image/tiff': '.tif' }[subtype ?? ''] ?? '.jpg'
}
