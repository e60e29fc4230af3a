import * as z from 'zod'
import { endpoint, file } from './endpoint.ts'
import { AccountId, CheckId, ClientId } from './ids.ts'
import { CalendarDate, page, paging, Source } from './shapes.ts'

/** The front of a check, FDE only. A field that is not known is absent, not null. Amounts in major units of the account's currency. */
export const Check = z.looseObject({
  id: CheckId,
  account_id: AccountId,
  source: Source,
  /** Relative `/v3` path of the image; needs the Authorization header. */
  download_url: z.string(),
  check_number: z.string().optional(),
  amount: z.number().optional(),
  pay_to: z.string().optional(),
  description: z.string().optional(),
  /** Date of the bank transaction the check belongs to. */
  transaction_date: CalendarDate.optional(),
  /** Read from the image by OCR, separate from the bank's data; absent when nothing was recognised. */
  ocr: z
    .looseObject({
      pay_to: z.string().optional(),
      amount: z.number().optional(),
      check_number: z.string().optional(),
      bank_name: z.string().optional(),
      check_date: CalendarDate.optional(),
      memo: z.string().optional(),
    })
    .optional(),
})
export type Check = z.infer<typeof Check>

const check = { account_id: AccountId, check_id: CheckId } as const

export const checks = {
  list: endpoint({
    method: 'GET',
    path: '/accounts/{account_id}/checks',
    summary: "List an account's checks (empty for accounts that are not FDE)",
    params: { account_id: AccountId },
    query: { client_id: ClientId, ...paging },
    success: { 200: page(Check) },
    scope: 'read:checks',
    retry: 'safe',
    paged: true,
    origin: 'documented',
  }),
  get: endpoint({
    method: 'GET',
    path: '/accounts/{account_id}/checks/{check_id}',
    summary: 'Show a check',
    params: check,
    query: { client_id: ClientId },
    success: { 200: Check },
    scope: 'read:checks',
    retry: 'safe',
    origin: 'documented',
  }),
  download: endpoint({
    method: 'GET',
    path: '/accounts/{account_id}/checks/{check_id}/download',
    summary: "Download a check's image",
    params: check,
    query: { client_id: ClientId },
    success: { 200: file('image/jpeg', 'image/png') },
    scope: 'read:checks',
    retry: 'safe',
    origin: 'documented',
  }),
}
