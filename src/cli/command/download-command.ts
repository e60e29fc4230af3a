/** The base class of commands that download a file: to a name the user chose, to one made of the id, or to stdout. */
import type { Command } from '@oclif/core'
import { Flags } from '@oclif/core'
import type { Download } from '../../contract/values.ts'
import { formatBytes } from '../../output/bar.ts'
import type { View } from '../../output/view.ts'
import { UsageError } from '../errors/errors.ts'
import { assertFree, assertNoTerminal, passOn, saveFile } from '../terminal/save-file.ts'
import { ApiCommand } from './api-command.ts'
import type { Columns, FlagsOf } from './base-command.ts'
import { type BulkDocument, isBulk, parallelFlags } from './bulk.ts'
import { BulkRun } from './bulk-run.ts'
import {
  type DownloadKind,
  type DownloadRow,
  downloadMany,
  downloadRowFields,
  downloadRowKeys,
} from './download-many.ts'
import { clientFlag, type serviceFlags } from './flags.ts'

export const downloadFlags = {
  client: clientFlag,
  'output-file': Flags.string({
    char: 'O',
    summary: 'Where to write it; - for stdout (default: the id, in this folder)',
    helpValue: 'FILE',
  }),
  force: Flags.boolean({ summary: 'Replace a file that is there' }),
  account: Flags.string({
    summary:
      'With --to: all of this account; may be given more than once (default: every account of the Client)',
    helpValue: 'acc_…',
    multiple: true,
    multipleNonGreedy: true,
    dependsOn: ['to'],
  }),
  to: Flags.string({
    summary: 'Download all of whole accounts into this folder, those that are there already aside',
    helpValue: 'DIR',
    exclusive: ['output-file'],
  }),
  ...parallelFlags,
}

export interface SavedFile {
  readonly id: string
  readonly file: string
  readonly bytes: number
  readonly content_type: string
}

export type DownloadResult = SavedFile | BulkDocument<DownloadRow> | undefined

/** @throws UsageError unless one thing is named, or a folder for all. */
export function assertOneOrAll(isNamed: boolean, folder: string | undefined, what: string): void {
  if (isNamed === (folder === undefined)) return
  throw new UsageError(isNamed ? `--to takes all of whole accounts, and not one ${what}` : `Which ${what}?`, {
    code: isNamed ? 'usage' : 'id_missing',
    hint: isNamed
      ? 'Leave out the id, or name its file with --output-file'
      : 'Name it, or download all of an account or a Client with --to DIR',
  })
}

export abstract class DownloadCommand<T extends typeof Command> extends ApiCommand<T, DownloadResult> {
  #bulk: BulkRun | undefined
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

  /** Downloads all of whole accounts to the folder of `--to`. */
  protected async downloadAll(
    kind: DownloadKind,
    folder: string,
    account?: string,
  ): Promise<BulkDocument<DownloadRow>> {
    const { force, concurrency, 'keep-going': keepGoing } = this.flags
    const accounts = account === undefined ? this.flags.account : [account, ...(this.flags.account ?? [])]
    const progress = await this.createProgress()
    const bulk = new BulkRun({
      progress,
      signal: this.signal,
      note: (sentence) => this.note(sentence),
      warning: this.warning,
      leaveWith: (name) => this.leaveWith(name),
    })
    this.#bulk = bulk
    try {
      const { rows, end } = await downloadMany(
        { kind, clientId: this.clientId, accounts, folder, force, concurrency, keepGoing },
        { api: this.api, signal: this.signal, context: this.failureContext, onProgress: bulk.onProgress },
      )
      return bulk.end(rows, end)
    } finally {
      progress.stop()
    }
  }

  protected override async columns(): Promise<Columns> {
    return this.#bulk === undefined
      ? super.columns()
      : { fields: downloadRowFields as never, known: downloadRowKeys }
  }

  protected override async render(result: DownloadResult): Promise<void> {
    await super.render(result)
    this.#bulk?.tellEnd()
    if (result !== undefined && isBulk(result) && result.summary['left'])
      this.note('The same command goes on with those that are left.')
  }

  protected override view(saved: DownloadResult, out: View): string {
    if (saved !== undefined && isBulk(saved))
      return out.table<DownloadRow>(saved.data, downloadRowFields, downloadRowKeys)
    const { file, bytes } = (saved ?? {}) as Partial<SavedFile>
    return file === undefined ? '' : `${file} (${formatBytes(bytes ?? 0)})`
  }
}
