/** Schemas of the ids. A prefix names the resource; the shape tells a placeholder Connection id from a canonical one. */
import * as z from 'zod'

const uuid = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'
const part = '[^\\s/?#]+'
/** Source names may be any, and may hold the separator: nothing says where a source ends and the rest begins. */
const sourceAndId = `${part}_${part}`

const patterns = {
  client: new RegExp(`^cli_${part}$`),
  canonicalConnection: new RegExp(`^con_${sourceAndId}$`),
  placeholderConnection: new RegExp(`^con_${uuid}$`),
  account: new RegExp(`^acc_${sourceAndId}$`),
  transaction: new RegExp(`^txn_${sourceAndId}$`),
  statement: new RegExp(`^stmt_${sourceAndId}$`),
  check: new RegExp(`^chk_${sourceAndId}$`),
  operation: new RegExp(`^op_${part}$`),
  subscription: /^whk_[0-9a-fA-F]+$/,
  institution: new RegExp(`^ins_${part}$`),
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

/**
 * Whether `source` is the source segment of the id of a Connection, account, transaction, statement or check. The segment
 * cannot be read from the id alone, so the source to compare with is one that the service names.
 */
export function isOfSource(id: string, source: string): boolean {
  return id.slice(id.indexOf('_') + 1).startsWith(`${source}_`)
}
