/** What only the service can tell: whether it is reached, what time it has, and what it thinks of the key. */

import { ApiResponseError } from '../../api/errors.ts'
import type { Reply } from '../../api/options.ts'
import type { Session } from '../../cli/command/session.ts'
import { allows, scopes as everyScope } from '../../contract/scopes.ts'
import { exitCodes } from '../../errors.ts'
import { systemClock } from '../../machine/clock.ts'
import { findKey } from '../../workflows/rotate-scopes.ts'
import { type Check, failed, ok, skipped, warning } from './check.ts'

/** Seconds between the clocks that nobody has to mind: a Date header has whole seconds. */
const unremarkable = 30
/** Seconds from which signed deliveries are refused as too old. */
const tolerance = 300

/** Reached is whatever answers as the API would; any error of its own counts. Gives the time of its answer. */
export async function checkService(
  { api, baseUrl, machine }: Session,
  signal: AbortSignal,
): Promise<{ readonly check: Check; readonly skewSeconds: number | undefined }> {
  let reply: Reply | undefined
  const started = machine.now()
  try {
    await api.health.check({}, { signal, onReply: (last) => (reply = last) })
  } catch (error) {
    if (!(error instanceof ApiResponseError && error.httpStatus < 500)) throw error
  }
  const ended = machine.now()
  return {
    check: ok('service', `${baseUrl.value} answers, in ${Math.round(ended - started)} ms`),
    skewSeconds: skewOf(reply?.headers['date'], (started + ended) / 2),
  }
}

/** How far this machine's clock is ahead, in seconds; negative behind. Undefined without a Date header. */
function skewOf(date: string | string[] | undefined, now: number): number | undefined {
  const theirs = typeof date === 'string' ? Date.parse(date) : Number.NaN
  return Number.isNaN(theirs) ? undefined : Math.round((now - theirs) / 1000)
}

export function checkClock(skewSeconds: number | undefined): Check {
  if (skewSeconds === undefined) return skipped('clock', 'The service did not say what time it has')
  const off = Math.abs(skewSeconds)
  const side = skewSeconds > 0 ? 'ahead of' : 'behind'
  if (off <= unremarkable) return ok('clock', 'The clock of this machine agrees with that of the service')
  const message = `The clock of this machine is ${off} s ${side} that of the service`
  const hint = 'Set the clock, for example by turning on network time'
  if (off < tolerance) return warning('clock', message, hint)
  return {
    ...warning('clock', `${message}: webhook signatures do not verify beyond ${tolerance} s`, hint),
    status: 'failed',
    exit_code: exitCodes.notVerified.code,
  }
}

export async function checkKey(session: Session, signal: AbortSignal): Promise<Check> {
  const key = await session.apiKey()
  try {
    await session.checkKey(key.secret, signal)
  } catch (error) {
    if (signal.aborted) throw error
    return failed('key', error, { environment: session.environment.value, key: session.keyInUse })
  }
  return ok('key', `The key ${session.keyInUse} (${key.source}) is accepted`)
}

/** What the key may do, where it may read that about itself. */
export async function checkScopes(session: Session, signal: AbortSignal): Promise<Check> {
  const { secret } = await session.apiKey()
  try {
    const key = await findKey({ api: session.api, clock: systemClock, signal }, { secretInUse: secret })
    if (key === undefined) return skipped('scopes', 'Which of the keys is in use cannot be told')
    const lacking = everyScope.filter((scope) => !allows(key.scopes, scope))
    if (lacking.length === 0) return ok('scopes', 'The key has every scope')
    const has = everyScope.length - lacking.length
    return ok('scopes', `The key has ${has} of ${everyScope.length} scopes; it lacks ${lacking.join(', ')}`)
  } catch (error) {
    if (!(error instanceof ApiResponseError)) throw error
    return error.code === 'insufficient_scope'
      ? skipped('scopes', 'The key may not read its own scopes: it lacks read:api-keys')
      : skipped('scopes', `The service does not show the scopes of the key: ${error.message}`)
  }
}
