import { DownloadCommand, downloadFlags, type SavedFile } from '../../cli/command/download-command.ts'
import { idArg } from '../../cli/command/flags.ts'

export default class ChecksDownload extends DownloadCommand<typeof ChecksDownload> {
  static override summary = 'Download the image of a check (its front)'
  static override examples = [
    '<%= config.bin %> checks download acc_FDE_9 chk_FDE_1 --client cli_demo -O check.jpg',
  ]
  static override args = {
    account: idArg({ summary: 'Account, acc_<SOURCE>_<id>', prefix: 'acc_' }),
    id: idArg({ summary: 'Check, chk_<SOURCE>_<id>', prefix: 'chk_' }),
  }
  static override flags = downloadFlags

  protected override async execute(): Promise<SavedFile | undefined> {
    const { account: account_id, id: check_id } = this.args
    const client_id = this.clientId
    return this.download(check_id, extensionOf, isImage, () =>
      this.api.checks.download({ account_id, check_id, client_id }, { signal: this.signal }),
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
