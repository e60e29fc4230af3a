/** Schemas of the ids. A prefix names the resource; the shape tells a placeholder Connection id from a canonical one. */
import * as z from 'zod'

const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
/** The known sources first, because their names hold the separator; then any single upper-case word. */
const source = 'AGGREGATOR_A|AGGREGATOR_B|FDE|PDF|[A-Z][A-Z0-9]*'
const rest = '[^\\s/?#]+'

const patterns = {
  client: new RegExp(`^cli_${rest}$`),
  canonicalConnection: new RegExp(`^con_(${source})_(${rest})$`),
  placeholderConnection: new RegExp(`^con_${uuid}$`),
  account: new RegExp(`^acc_(${source})_(${rest})$`),
  transaction: new RegExp(`^txn_(${source})_(${rest})$`),
  statement: new RegExp(`^stmt_(${source})_(${rest})$`),
  check: new RegExp(`^chk_(${source})_(${rest})$`),
  operation: new RegExp(`^op_${rest}$`),
  subscription: /^whk_[0-9a-fA-F]+$/,
  institution: new RegExp(`^ins_${rest}$`),
  uuid: new RegExp(`^${uuid}$`),
} as const

export const ClientId = z.string().regex(patterns.client, 'a Client id looks like cli_<id>')
/** Canonical or placeholder: `con_<SOURCE>_<bankAccountId>` or `con_<uuid>`. */
export const ConnectionId = z
  .string()
  .regex(
    new RegExp(`${patterns.canonicalConnection.source}|${patterns.placeholderConnection.source}`),
    'a Connection id looks like con_<SOURCE>_<bankAccountId>',
  )
export const AccountId = z.string().regex(patterns.account, 'an Account id looks like acc_<SOURCE>_<id>')
export const TransactionId = z
  .string()
  .regex(patterns.transaction, 'a Transaction id looks like txn_<SOURCE>_<id>')
export const StatementId = z
  .string()
  .regex(patterns.statement, 'a Statement id looks like stmt_<SOURCE>_<id>')
export const CheckId = z.string().regex(patterns.check, 'a Check id looks like chk_<SOURCE>_<id>')
export const OperationId = z.string().regex(patterns.operation, 'an Operation id looks like op_<id>')
export const SubscriptionId = z
  .string()
  .regex(patterns.subscription, 'a Webhook subscription id looks like whk_<hex>')
export const InstitutionId = z.string().regex(patterns.institution, 'an Institution id looks like ins_<id>')
export const ApiKeyId = z.string().regex(patterns.uuid, 'an API key id is a UUID')
/** `evt_<id>` or a bare UUID: opaque, compared as the exact string. */
export const EventId = z.string().min(1)
/** The opaque id of a connect session; also the link's credential. */
export const SessionId = z.string().min(1)

/**
 * The two forms of a Connection id, told apart by shape: `canonical` is safe to store, `placeholder` is valid only
 * for the widget step. Anything else is undefined.
 */
export function connectionIdForm(id: string): 'canonical' | 'placeholder' | undefined {
  if (patterns.placeholderConnection.test(id)) return 'placeholder'
  if (patterns.canonicalConnection.test(id)) return 'canonical'
  return undefined
}

/** The source segment of a canonical Connection, Account, Transaction, Statement or Check id; undefined elsewhere. */
export function sourceOf(id: string): string | undefined {
  for (const kind of ['canonicalConnection', 'account', 'transaction', 'statement', 'check'] as const) {
    const match = patterns[kind].exec(id)
    if (match) return match[1]
  }
  return undefined
}
