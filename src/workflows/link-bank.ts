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

export interface LinkOptions {
  readonly clientId: string
  readonly institutionId: string
  readonly redirectUrl?: string | undefined
  /** Milliseconds for the widget URL and, with `untilActive`, again for the user. */
  readonly timeoutMs: number
  /** Also wait until the Client's connections list shows a new canonical id. */
  readonly untilActive: boolean
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
 * that list is what `untilActive` watches; the snapshot's placeholder is never followed.
 * @throws OperationFailedError, WaitTimeoutError, BankapiError `still_running`, or the signal's reason.
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
  const waiting = clock.elapsed()
  for (;;) {
    report('waiting-for-user', widgetUrl)
    const now = await activeConnections(context, options.clientId)
    const connection = now.find(
      ({ id, status, institution }) =>
        institution.id === options.institutionId && status === 'active' && known.get(id) !== 'active',
    )
    if (connection) return { operation, widgetUrl, connection }
    const elapsed = clock.elapsed() - waiting
    if (elapsed >= options.timeoutMs) throw notFinished(options.clientId)
    await clock.sleep(Math.min(pollDelay(elapsed, undefined), options.timeoutMs - elapsed), signal)
  }
}

/** The URL at which the user signs in, from the operation's result; undefined when it has none. */
export function widgetUrlOf(operation: Operation): string | undefined {
  const result = operation.result as ConnectionResult | null | undefined
  return result?.connection?.action?.widget_url
}

async function activeConnections(
  { api, signal }: WorkflowContext<LinkProgress>,
  clientId: string,
): Promise<Connection[]> {
  return Array.fromAsync(items(api.connections.list, { client_id: clientId, limit: 500 }, { signal }))
}

/** The widget URL is there, but no new Connection became active in time. */
function notFinished(clientId: string): BankapiError {
  return new BankapiError('the user has not finished the widget yet', {
    code: 'still_running',
    exit: 'stillRunning',
    hint: `When the user is done, the Connection shows up in: bankapi connections list --client ${clientId}`,
  })
}
