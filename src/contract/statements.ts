import * as z from 'zod'
import { endpoint, file } from './endpoint.ts'
import { AccountId, ClientId, StatementId } from './ids.ts'
import { CalendarDate, OperationAccepted, page, paging, Source } from './shapes.ts'

export const Statement = z.looseObject({
  id: StatementId,
  statement_date: CalendarDate,
  /** Populated when listing an account's statements, null on get-by-id. */
  account_id: AccountId.nullish(),
  source: Source,
  /** Relative `/v3` path of the PDF; needs the Authorization header; does not expire. */
  download_url: z.string().optional(),
  /** Accounting platform the statement was exported to, if any. */
  exported_to: z.string().optional(),
})
export type Statement = z.infer<typeof Statement>

/** 30 MB. */
export const maxExtractionBytes = 30 * 1024 * 1024

export const statements = {
  list: endpoint({
    method: 'GET',
    path: '/accounts/{account_id}/statements',
    summary: "List an account's statements",
    params: { account_id: AccountId },
    query: { client_id: ClientId, ...paging },
    success: { 200: page(Statement) },
    scope: 'read:statements',
    retry: 'safe',
    paged: true,
    origin: 'documented',
    assumes: 'scope',
  }),
  get: endpoint({
    method: 'GET',
    path: '/statements/{statement_id}',
    summary: 'Show a statement',
    params: { statement_id: StatementId },
    query: { client_id: ClientId },
    success: { 200: Statement },
    scope: 'read:statements',
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
  download: endpoint({
    method: 'GET',
    path: '/statements/{statement_id}/download',
    summary: "Download a statement's PDF",
    params: { statement_id: StatementId },
    query: { client_id: ClientId },
    success: { 200: file('application/pdf') },
    scope: 'read:statements',
    retry: 'safe',
    origin: 'documented',
    assumes: 'scope',
  }),
  extract: endpoint({
    method: 'POST',
    path: '/statements/extract',
    summary: 'Upload a PDF statement and extract its line items',
    upload: 'file',
    success: { 202: OperationAccepted },
    scope: 'write:statements',
    retry: 'if-refused',
    origin: 'documented',
    assumes:
      'the upload encoding: multipart/form-data with one field, file (or the setting upload.encoding); scope',
  }),
}
