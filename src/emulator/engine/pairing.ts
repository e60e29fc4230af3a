/**
 * Pairing of the desktop app with the code that it shows. The reference gives the codes of the errors and how many tries there
 * are. Assumed: that a code has six digits, and that the account whose tries are counted is the customer's.
 */
import type { KnownErrorCode } from '../../contract/errors.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { Environment, Tenant } from '../store/customers.ts'
import { institutionOf } from './connections.ts'
import type { Engine } from './engine.ts'
import { invalidFields, ServiceError } from './errors.ts'
import { day, hour, second } from './schedule.ts'

const limits = [
  { period: hour, tries: 10 },
  { period: day, tries: 20 },
]

/** The errors that pairing ends with. */
export const pairingErrors = [
  'pairing_code_invalid',
  'desktop_app_session_closed',
  'desktop_service_unavailable',
  'pairing_rate_limited',
] as const satisfies readonly KnownErrorCode[]
export type PairingError = (typeof pairingErrors)[number]

/** Codes with an outcome of their own, so that each can be tried. Any other one of six digits pairs. */
const outcomes: Readonly<Record<string, PairingError>> = {
  '000000': 'pairing_code_invalid',
  '111111': 'desktop_app_session_closed',
  '222222': 'desktop_service_unavailable',
}

/** The next pairing on this base ends so, whatever its code. */
export function orderPairing({ store }: Engine, environment: Environment, error: PairingError): void {
  store.meta.set(orderedName(environment), error)
}

/**
 * Pairs the app that a Connection needs: it refreshes from now on. Throws `validation_failed` for one that needs none, and is no
 * try then; or one of `pairingErrors`, and is a try unless it is rate limited.
 */
export function pairDesktopApp(
  engine: Engine,
  tenant: Tenant,
  connection: ConnectionRow,
  code: string,
): void {
  checkNeedsApp(connection)
  const ordered = takeOrder(engine, tenant.environment)
  if (ordered === 'pairing_rate_limited') throw rateLimited(hour)
  countTry(engine, tenant)
  const error = ordered ?? (/^\d{6}$/.test(code) ? outcomes[code] : 'pairing_code_invalid')
  if (error) throw new ServiceError(error)
  engine.store.connections.change(connection.seq, { recovered: 1 })
}

function checkNeedsApp(connection: ConnectionRow): void {
  const refuse = (code: string, message: string) => invalidFields([{ param: 'connection_id', message, code }])
  if (connection.source !== 'FDE') throw refuse('unsupported_source', 'is of a source without a desktop app')
  if (institutionOf(connection).requires_desktop_app !== true)
    throw refuse('unsupported', 'is of a bank that needs no desktop app')
  if (connection.status === 'disconnected') throw refuse('disconnected', 'is disconnected')
}

function takeOrder({ store }: Engine, environment: Environment): PairingError | undefined {
  const ordered = store.meta.get(orderedName(environment))
  if (ordered) store.meta.set(orderedName(environment), '')
  return pairingErrors.find((code) => code === ordered)
}

/** Counts over the last hour and the last 24 hours. Throws `pairing_rate_limited`. */
function countTry({ store, clock }: Engine, { seq }: Tenant): void {
  const name = `pairing_tries_${seq}`
  const now = clock.now()
  const stored = JSON.parse(store.meta.get(name) ?? '[]') as number[]
  const tries = stored.filter((at) => at > now - day)
  const waits = limits.map(({ period, tries: allowed }) => {
    const first = tries.filter((at) => at > now - period).at(-allowed)
    return first === undefined ? 0 : first + period - now
  })
  const wait = Math.max(...waits)
  if (wait > 0) throw rateLimited(wait)
  store.meta.set(name, JSON.stringify([...tries, now]))
}

function rateLimited(ms: number): ServiceError {
  return new ServiceError('pairing_rate_limited', undefined, { retryAfter: Math.ceil(ms / second) })
}

const orderedName = (environment: Environment) => `pairing_outcome_${environment}`
