/**
 * The lines of a statement, as data in its PDF: an attachment that viewers do not list. So an upload of a statement that an
 * emulator drew is read back exactly, whatever has changed at the bank since, and any other file has no lines.
 */
import { inflateSync } from 'node:zlib'
import * as z from 'zod'

const StatementLines = z.strictObject({
  iso_currency_code: z.string(),
  period_start: z.string(),
  statement_date: z.string(),
  opening_balance: z.number(),
  closing_balance: z.number(),
  line_items: z.array(
    z.strictObject({
      date: z.string(),
      description: z.string(),
      /** Money out is negative. */
      amount: z.number(),
      iso_currency_code: z.string(),
      /** After this line. */
      balance: z.number(),
    }),
  ),
})
export type StatementLines = z.infer<typeof StatementLines>

/** An upload to extract. */
export interface UploadedStatement {
  readonly name: string
  /** Undefined for a file that no emulator drew. */
  readonly lines?: StatementLines | undefined
}

export const attachment = { name: 'lines-of-emulated-statement.json', type: 'application/json' } as const

/** Bytes. A year of a busy account takes a tenth of it. */
const MAX_BYTES = 8 * 1024 * 1024

/** The lines in a PDF that an emulator drew; undefined in any other file. */
export function linesIn(file: Uint8Array): StatementLines | undefined {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (!bytes.includes(attachment.name)) return undefined
  for (let at = bytes.indexOf('/EmbeddedFile'); at !== -1; at = bytes.indexOf('/EmbeddedFile', at + 1)) {
    const from = bytes.indexOf('stream\n', at)
    const to = bytes.indexOf('\nendstream', from)
    if (from === -1 || to === -1) return undefined
    const lines = StatementLines.safeParse(inflated(bytes.subarray(from + 'stream\n'.length, to)))
    if (lines.success) return lines.data
  }
  return undefined
}

function inflated(stream: Buffer): unknown {
  try {
    return JSON.parse(inflateSync(stream, { maxOutputLength: MAX_BYTES }).toString('utf8'))
  } catch {
    return undefined
  }
}
