import { items } from '../api/pages.ts'
import type { Connection, ConnectionResult } from '../contract/connections.ts'
import type { Operation } from '../contract/operations.ts'
import type { OperationAccepted } from '../contract/shapes.ts'
import { BankapiError } from '../errors.ts'
import type { WorkflowContext } from './context.ts'
import { pollDelay, waitForOperation } from './operations.ts'

export interface LinkProgress {
  readonly step: 'initiating' | 'waiting-for-widget-url' | 'waiting-for-user'
  readonly elapsedMs: number
  /** Known from `waiting-for-user` on: the URL the user has to open. */
  readonly widgetUrl?: string | undefined
}

export type LinkState = Pick<Connection, 'status' | 'last_error'>

export interface LinkOptions {
  readonly clientId: string
  readonly institutionId: string
  readonly redirectUrl?: string | undefined
  /** Milliseconds for the widget URL and, with `untilActive`, again for the user. */
  readonly timeoutMs: number
  /** Also wait until the Client's connections list shows a new canonical id. */
  readonly untilActive: boolean
  /**
   * What the events received so far say of the placeholder: its latest state. The service shows a link that failed before
   * it was active in no list and no read; only its event tells.
   */
  readonly stateInEvents?: (placeholderId: string) => Promise<LinkState | undefined>
  /** Called once, as soon as the service accepted the call. */
  readonly onAccepted?: (accepted: OperationAccepted) => void
}

export interface LinkResult {
  readonly operation: Operation
  readonly widgetUrl: string | undefined
  /** Only with `untilActive`. */
  readonly connection: Connection | undefined
}

/**
 * Initiates a connection and waits for its widget URL. The operation being `succeeded` does not mean that the bank is
 * linked: the canonical id appears only in the Client's connections list (and the `connection.active` webhook), so
 * that list is what `untilActive` watches; the snapshot's placeholder is never followed. The list has only Connections that
 * were active once, so a new one that is not any more ends the wait; so does an event of the placeholder's failure.
 * @throws OperationFailedError, BankapiError `link_failed`, WaitTimeoutError, BankapiError `still_running`, or the signal's reason.
 */
export async function linkBank(
  context: WorkflowContext<LinkProgress>,
  options: LinkOptions,
): Promise<LinkResult> {
  const { api, clock, signal } = context
  const started = clock.elapsed()
  const report = (step: LinkProgress['step'], widgetUrl?: string) =>
    context.onProgress?.({ step, elapsedMs: clock.elapsed() - started, widgetUrl })

  report('initiating')
  const before = options.untilActive ? await activeConnections(context, options.clientId) : []
  const accepted = await api.connections.initiate(
    {
      client_id: options.clientId,
      institution_id: options.institutionId,
      ...(options.redirectUrl === undefined ? {} : { redirect_url: options.redirectUrl }),
    },
    { signal },
  )
  options.onAccepted?.(accepted)

  report('waiting-for-widget-url')
  const operation = await waitForOperation(
    { api, clock, signal },
    {
      operationId: accepted.operation_id,
      timeoutMs: options.timeoutMs,
      subject: options.clientId,
      estimatedSeconds: accepted.estimated_seconds,
    },
  )
  const widgetUrl = widgetUrlOf(operation)
  if (!options.untilActive) return { operation, widgetUrl, connection: undefined }

  const known = new Map(before.map((connection) => [connection.id, connection.status]))
  const expiresAt = expiryOf(operation)
  const placeholderId = (operation.result as ConnectionResult | null | undefined)?.connection?.id
  const waiting = clock.elapsed()
  // A link that was begun before this one may end first. The two moments are of the same clock, written with different precision.
  const earliest = Date.parse(operation.created_at) - 1000
  const isOfThis = ({ id, institution, created_at }: Connection) =>
    institution.id === options.institutionId && (known.has(id) || !(Date.parse(created_at) < earliest))
  for (;;) {
    report('waiting-for-user', widgetUrl)
    const now = await activeConnections(context, options.clientId)
    const connection = now.find(
      (one) => isOfThis(one) && one.status === 'active' && known.get(one.id) !== 'active',
    )
    if (connection) return { operation, widgetUrl, connection }
    const ended = now.find((one) => isOfThis(one) && !known.has(one.id) && isOver(one))
    if (ended) throw linkFailed(ended)
    const pending = placeholderId === undefined ? undefined : await options.stateInEvents?.(placeholderId)
    if (pending !== undefined && isOver(pending)) throw neverLinked(pending, options)
    const elapsed = clock.elapsed() - waiting
    const left = expiresAt - clock.now()
    if (left <= 0) throw linkExpired(options)
    if (elapsed >= options.timeoutMs) throw notFinished(options.clientId)
    await clock.sleep(Math.min(pollDelay(elapsed, undefined), options.timeoutMs - elapsed, left), signal)
  }
}

/** The URL at which the user signs in, from the operation's result; undefined when it has none. */
export function widgetUrlOf(operation: Operation): string | undefined {
  const result = operation.result as ConnectionResult | null | undefined
  return result?.connection?.action?.widget_url
}

/** Unix milliseconds. The reference shows no expiry of a widget URL, and leaves room for further fields beside it. */
function expiryOf(operation: Operation): number {
  const result = operation.result as ConnectionResult | null | undefined
  const at = Date.parse(String(result?.connection?.action?.['expires_at']))
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}

async function activeConnections(
  { api, signal }: WorkflowContext<LinkProgress>,
  clientId: string,
): Promise<Connection[]> {
  return Array.fromAsync(items(api.connections.list, { client_id: clientId, limit: 500 }, { signal }))
}

function linkExpired({ clientId, institutionId }: LinkOptions): BankapiError {
  return new BankapiError('The widget URL has expired, and the user had not finished', {
    code: 'link_expired',
    exit: 'operationFailed',
    hint: `Make another: bankapi connections initiate --client ${clientId} --institution ${institutionId}`,
  })
}

/** Whether nothing in the widget makes this Connection active. `requires_action` without a reason may be the user at work. */
function isOver({ status, last_error }: LinkState): boolean {
  return (
    status === 'failed' || status === 'disconnected' || (status === 'requires_action' && last_error != null)
  )
}

function neverLinked({ status, last_error: error }: LinkState, link: LinkOptions): BankapiError {
  const why = error == null ? '' : `: ${error.message.replace(/\.$/, '')} (${error.code})`
  return new BankapiError(`The bank was not linked; the link is ${status}${why}`, {
    code: 'link_failed',
    exit: 'operationFailed',
    hint: `Make another: bankapi connections initiate --client ${link.clientId} --institution ${link.institutionId}`,
  })
}

function linkFailed({ id, status, last_error: error }: Connection): BankapiError {
  const why = error == null ? '' : `: ${error.message.replace(/\.$/, '')} (${error.code})`
  const hint =
    status === 'requires_action' && error?.is_user_actionable !== false
      ? `Let the user sign in again: bankapi connections reauthorize ${id}`
      : status === 'disconnected'
        ? 'There is no way back for this one. Link the bank again: bankapi connections initiate'
        : `The user cannot repair it. A daily refresh may find it recovered: bankapi connections get ${id}`
  return new BankapiError(`${id} was linked, and is ${status}${why}`, {
    code: 'link_failed',
    exit: 'operationFailed',
    hint,
  })
}

/** The widget URL is there, but no new Connection became active in time. */
function notFinished(clientId: string): BankapiError {
  return new BankapiError('the user has not finished the widget yet', {
    code: 'still_running',
    exit: 'stillRunning',
    hint: `When the user is done, the Connection shows up in: bankapi connections list --client ${clientId}`,
  })
}
