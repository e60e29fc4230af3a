import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Args } from '@oclif/core'
import { DEFAULT_TIMEOUT_MS, waitFlags } from '../../cli/command/flags.ts'
import { OperationCommand } from '../../cli/command/operation-command.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Operation } from '../../contract/operations.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import { maxExtractionBytes } from '../../contract/statements.ts'
import { waitForOperation } from '../../workflows/operations.ts'

export default class StatementsExtract extends OperationCommand<typeof StatementsExtract> {
  static override summary = 'Upload a PDF statement and extract its line items'
  static override description =
    'A PDF of up to 30 MB. There is no webhook for it: polling (--wait) tells when it is done, and shows the line items. The ' +
    'emulator reads those of statements that it made itself, and of other files none. How the upload is encoded is ' +
    'assumed: multipart/form-data with one field, file. The bytes alone, as application/pdf: bankapi config set ' +
    'upload.encoding raw.'
  static override examples = [
    '<%= config.bin %> statements extract march.pdf --wait',
    "<%= config.bin %> statements extract march.pdf --wait --jq '.result.line_items[] | [.date, .amount]'",
  ]
  static override args = {
    file: Args.string({ description: 'PDF to upload', required: true, ignoreStdin: true }),
  }
  static override flags = { ...waitFlags }

  protected override async execute(): Promise<OperationAccepted | Operation> {
    const { file } = this.args
    const { wait, timeout } = this.flags
    const content = await openPdf(file)
    const accepted = await this.api.statements.extract(
      { file: { filename: basename(file), contentType: 'application/pdf', content } },
      { signal: this.signal },
    )
    await this.started(accepted, 'statement.extraction', basename(file))
    if (!wait) return accepted
    return waitForOperation(this.waiting, {
      operationId: accepted.operation_id,
      timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
      estimatedSeconds: accepted.estimated_seconds,
    })
  }
}

/** @throws UsageError when it cannot be read, is larger than the service takes, or is no PDF. */
async function openPdf(path: string): Promise<Blob> {
  const size = await stat(path).then(
    (stats) => (stats.isFile() ? stats.size : undefined),
    () => undefined,
  )
  if (size === undefined)
    throw new UsageError(`${path} is not a file that can be read`, { code: 'unreadable_file' })
  if (size > maxExtractionBytes) {
    throw new UsageError(`${path} is larger than the 30 MB the service takes`, { code: 'file_too_large' })
  }
  const blob = await openAsBlob(path, { type: 'application/pdf' })
  const head = Buffer.from(await blob.slice(0, 5).arrayBuffer()).toString('latin1')
  if (head !== '%PDF-') throw new UsageError(`${path} is not a PDF`, { code: 'wrong_content' })
  return blob
}
