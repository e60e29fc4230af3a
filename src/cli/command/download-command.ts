/** The base class of commands that download a file: to a name the user chose, to one made of the id, or to stdout. */

import type { Command } from '@oclif/core'
import { Flags } from '@oclif/core'
import type { Download } from '../../contract/endpoint.ts'
import { formatBytes } from '../../output/bar.ts'
import { assertFree, assertNoTerminal, passOn, saveFile } from '../terminal/save-file.ts'
import { ApiCommand } from './api-command.ts'
import type { FlagsOf } from './base-command.ts'
import { clientFlag, type serviceFlags } from './flags.ts'

export const downloadFlags = {
  client: clientFlag,
  'output-file': Flags.string({
    char: 'O',
    summary: 'Where to write it; - for stdout (default: the id, in this folder)',
    helpValue: 'FILE',
  }),
  force: Flags.boolean({ summary: 'Replace a file that is there' }),
}

export interface SavedFile {
  readonly id: string
  readonly file: string
  readonly bytes: number
  readonly content_type: string
}

export abstract class DownloadCommand<T extends typeof Command> extends ApiCommand<T, SavedFile | undefined> {
  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof downloadFlags>

  /** Downloads `id` to the file that the flags name. `check` checks its type by the first bytes. */
  protected async download(
    id: string,
    extension: (contentType: string) => string,
    check: (head: Uint8Array) => string | undefined,
    fetch: () => Promise<Download>,
  ): Promise<SavedFile | undefined> {
    const { 'output-file': chosen, force } = this.flags
    const { signal } = this
    if (chosen === '-') {
      assertNoTerminal(this.terminal.stdout)
      await passOn(await fetch(), this.terminal.stdout, { check, signal })
      return undefined
    }
    if (chosen !== undefined) await assertFree(chosen, force)
    const download = await fetch()
    const { contentType: content_type } = download
    // The name is made of the id the user typed; what the service calls the file is never used.
    const file = chosen ?? `${id.replace(/[^A-Za-z0-9_.-]/g, '_')}${extension(content_type)}`
    const progress = await this.createProgress()
    try {
      const bytes = await saveFile(download, {
        path: file,
        force,
        check,
        signal,
        onProgress: (done) =>
          progress.update({ text: file, done, total: download.contentLength, unit: formatBytes }),
      })
      return { id, file, bytes, content_type }
    } finally {
      progress.stop()
    }
  }

  protected override view(saved: SavedFile | undefined): string {
    return saved === undefined ? '' : `${saved.file} (${formatBytes(saved.bytes)})`
  }
}
