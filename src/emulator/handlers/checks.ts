/** Handlers of checks and their images. */
import type { Check, checks as contract } from '../../contract/checks.ts'
import { basePath } from '../../contract/service.ts'
import { isUnsupported } from '../engine/capabilities.ts'
import { institutionOf } from '../engine/connections.ts'
import { notFound } from '../engine/errors.ts'
import { pageOf } from '../engine/paging.ts'
import { withoutNulls } from '../engine/without-nulls.ts'
import { checkJpeg } from '../files/check-image.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { CheckRow } from '../store/checks.ts'
import { accountOf, type Handlers, type KeyCall } from './handler.ts'

export const checks: Handlers<typeof contract> = {
  list({ account_id, client_id, ...page }, call) {
    const account = accountOf(call, client_id, account_id)
    return pageOf(
      call.engine,
      ['checks', account.seq],
      page,
      (slice) => (supportsImages(account) ? call.engine.store.checks.list(account.seq, slice) : []),
      (row) => onWire(row, client_id),
    )
  },

  get({ account_id, check_id, client_id }, call) {
    return onWire(checkOf(call, accountOf(call, client_id, account_id), check_id), client_id)
  },

  download({ account_id, check_id, client_id }, call) {
    const account = accountOf(call, client_id, account_id)
    const check = checkOf(call, account, check_id)
    const connection =
      account.connection === null ? undefined : call.engine.store.connections.bySeq(account.connection)
    const bytes = checkJpeg({
      payTo: check.pay_to,
      amount: Math.abs(check.amount ?? 0),
      checkNumber: check.check_number ?? '',
      date: check.transaction_date ?? '',
      memo: check.description,
      bankName: connection ? institutionOf(connection).name : 'Bank',
    })
    return { contentType: 'image/jpeg', bytes }
  },
}

function checkOf({ engine }: KeyCall, account: AccountRow, id: string): CheckRow {
  const row = supportsImages(account) ? engine.store.checks.get(account.seq, id) : undefined
  if (!row) throw notFound('check')
  return row
}

function supportsImages({ capabilities }: AccountRow): boolean {
  return !isUnsupported(capabilities, 'check_images')
}

function onWire(row: CheckRow, client: string): Check {
  const { check_number, amount, pay_to, description, transaction_date, ocr } = row
  return {
    id: row.id,
    account_id: row.account_id,
    source: row.source,
    download_url: `${basePath}/accounts/${row.account_id}/checks/${row.id}/download?client_id=${client}`,
    ...withoutNulls({ check_number, amount, pay_to, description, transaction_date }),
    ...(ocr === null ? {} : { ocr: withoutNulls(JSON.parse(ocr) as NonNullable<Check['ocr']>) }),
  }
}
