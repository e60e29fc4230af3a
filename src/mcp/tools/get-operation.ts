/** Says how an operation went; without an id, which ones this machine knows. */
import * as z from 'zod'
import type { ConnectionResult } from '../../contract/connections.ts'
import type { Operation } from '../../contract/operations.ts'
import { widgetUrlOf } from '../../workflows/link-bank.ts'
import { OperationFailedError } from '../../workflows/operation-errors.ts'
import type { Call } from '../assistant.ts'
import { BankText, bankText } from '../bank-text.ts'
import { PAGE_ROWS } from '../paging.ts'
import { type OrNull, tool } from '../tool.ts'

const Known = z.object({
  id: z.string(),
  type: z.string().optional(),
  subject: z.string().optional(),
  status: z.string(),
  created_at: z.string(),
  completed_at: z.string().optional(),
})

const Found = z.object({
  ...Known.shape,
  connection_id: z.string().optional(),
  error_code: z.string().optional(),
  failed_accounts: z.array(z.object({ id: z.string(), code: z.string() })).optional(),
  next: z.string(),
  bank_text: BankText.optional(),
})

export const getOperation = tool({
  name: 'get_operation',
  title: 'An operation',
  description:
    'How a refresh, a link or another operation went, and what to do next. Without an id the latest that this machine started or saw, as it last saw them.',
  input: { operation_id: z.string().max(200).optional() },
  output: { operation: Found.optional(), operations: z.array(Known).optional() },
  scopes: [],
  async run(call, { operation_id }) {
    if (operation_id === undefined) return { data: { operations: await known(call) } }
    const operation = await call.api.operations.get({ operation_id }, { signal: call.signal })
    await call.journal.seen(operation)
    const subject = await call.journal.subjectOf(operation_id)
    return { data: { operation: foundOf(call, operation, subject) } }
  },
})

async function known({ environment, openInbox }: Call): Promise<OrNull<z.input<typeof Known>>[]> {
  const { operations } = await openInbox()
  const found = await operations.list({ environment: environment.name, limit: PAGE_ROWS })
  return found.map(({ id, type, subject, status, startedAt, completedAt }) => ({
    ...{ id, status, created_at: new Date(startedAt).toISOString() },
    ...{ type, subject },
    completed_at: completedAt === undefined ? null : new Date(completedAt).toISOString(),
  }))
}

/** Of the result only the Connection's id: the rest may hold the address where a user signs in, or the lines of a document. */
function foundOf(
  call: Call,
  operation: Operation,
  subject: string | undefined,
): OrNull<z.input<typeof Found>> {
  const { id, type, status, created_at, completed_at, error } = operation
  return {
    ...{ id, type, subject, status, created_at, completed_at },
    connection_id: (operation.result as ConnectionResult | undefined)?.connection?.id,
    error_code: error?.code,
    failed_accounts: error?.accounts
      ?.slice(0, PAGE_ROWS)
      .map((account) => ({ id: account.id ?? '', code: account.code ?? '' })),
    next: nextOf(call, operation, subject),
    bank_text: bankText({ error: error?.message }),
  }
}

function nextOf(call: Call, operation: Operation, subject: string | undefined): string {
  const { id, status } = operation
  if (status === 'queued') return 'It still runs: ask again later'
  if (status === 'failed') {
    const { hint = '' } = call.describe(new OperationFailedError(operation, subject), { operation_id: id })
    return hint
  }
  return widgetUrlOf(operation) !== undefined
    ? `The user has to sign in before the bank is linked. Where, a person sees with: ${widgetUrlCommand(call, id)}`
    : 'Nothing: it is done'
}

/** The command that shows a person the address where the user signs in. */
export function widgetUrlCommand({ command }: Pick<Call, 'command'>, operationId: string): string {
  return command('operations', 'wait', operationId, '--jq', '.result.connection.action.widget_url')
}
