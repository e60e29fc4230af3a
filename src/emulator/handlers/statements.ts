/** Handlers of statements, their PDFs, and the extraction of uploaded ones. */
import { basePath } from '../../contract/service.ts'
import { type statements as contract, maxExtractionBytes, type Statement } from '../../contract/statements.ts'
import { isUnsupported } from '../engine/capabilities.ts'
import { institutionOf } from '../engine/connections.ts'
import { invalidFields, notFound, ServiceError } from '../engine/errors.ts'
import { accepted, startExtraction } from '../engine/operations.ts'
import { pageOf } from '../engine/paging.ts'
import { looksLikePdf } from '../files/looks-like-pdf.ts'
import { linesIn } from '../files/statement-lines.ts'
import type { StatementRow } from '../store/statements.ts'
import { accountOf, type Handlers, type KeyCall } from './handler.ts'

export const statements: Handlers<typeof contract> = {
  list({ account_id, client_id, ...page }, call) {
    const account = accountOf(call, client_id, account_id)
    return pageOf(
      call.engine,
      ['statements', account.seq],
      page,
      (slice) =>
        isUnsupported(account.capabilities, 'statements')
          ? []
          : call.engine.store.statements.list(account.seq, slice),
      (row) => onWire(row, client_id, row.account_id),
    )
  },

  get: ({ statement_id, client_id }, call) =>
    onWire(statementOf(call, client_id, statement_id), client_id, null),

  async download({ statement_id, client_id }, call) {
    const { engine } = call
    const statement = statementOf(call, client_id, statement_id)
    const account = accountOf(call, client_id, statement.account_id)
    const connection =
      account.connection === null ? undefined : engine.store.connections.bySeq(account.connection)
    const { period_start, statement_date, opening_balance, closing_balance } = statement
    const { statementPdf } = await import('../files/statement-pdf.ts')
    const bytes = await statementPdf({
      institutionName: connection ? institutionOf(connection).name : 'Bank',
      account,
      statement,
      transactions: engine.store.transactions
        .settledBetween(account.seq, period_start, statement_date)
        .map((row) => ({ ...row, pending: false })),
      openingBalance: opening_balance,
      closingBalance: closing_balance,
    })
    return {
      contentType: 'application/pdf',
      bytes,
      headers: { 'content-disposition': `attachment; filename="statement-${statement_date}.pdf"` },
    }
  },

  async extract({ file }, { engine, tenant }) {
    if (file.content.size > maxExtractionBytes) throw new ServiceError('payload_too_large')
    const content = new Uint8Array(await file.content.arrayBuffer())
    if (!looksLikePdf(content)) {
      throw invalidFields([{ param: 'file', message: 'is not a PDF', code: 'not_a_pdf' }])
    }
    const upload = { name: file.filename, lines: linesIn(content) }
    return accepted(engine, startExtraction(engine, tenant.seq, upload))
  },
}

function statementOf(call: KeyCall, client: string, id: string): StatementRow {
  const row = call.engine.store.statements.get(call.tenant.seq, client, id)
  if (!row || isUnsupported(accountOf(call, client, row.account_id).capabilities, 'statements'))
    throw notFound('statement')
  return row
}

/** The download resolves within the Client, as the read does. */
function onWire(row: StatementRow, client: string, account_id: string | null): Statement {
  return {
    id: row.id,
    statement_date: row.statement_date,
    account_id,
    source: row.source,
    download_url: `${basePath}/statements/${row.id}/download?client_id=${client}`,
    ...(row.exported_to === null ? {} : { exported_to: row.exported_to }),
  }
}
