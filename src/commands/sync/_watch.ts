/** What `sync --watch` prints beside the lines of the listener: a line, or an object, per reading. */
import { safeJson, safeText } from '../../output/safe-text.ts'
import type { WatchEvent } from '../../sync/watch.ts'

/** A Client that was read again, as `--json` prints it. */
export interface Reread {
  readonly reread_at: string
  readonly client_id: string
  readonly read: readonly string[]
  readonly new: number
  readonly changed: number
  readonly settled: number
  readonly gone: number
  readonly failed: readonly {
    readonly kind: string
    readonly subject: string
    readonly code: string
    readonly message: string
  }[]
  readonly duration_ms: number
}

/** The lines of an event for people; texts of the service are made safe for a terminal. */
export function watchLines(event: WatchEvent): string[] {
  const at = localTime(event.at)
  switch (event.kind) {
    case 'reread': {
      const { new: added, changed, settled, gone } = event.counts
      const counts = `${added} new, ${changed} changed, ${settled} settled, ${gone} gone`
      return [
        `${at} === ${safeText(event.clientId)}  ${event.what.join(', ')}: ${counts}  ${Math.round(event.durationMs)}ms`,
        ...event.failed.map(
          ({ kind, subject, message, code }) =>
            `             ${safeText(`${kind} of ${subject}: ${message} (${code})`)}`,
        ),
      ]
    }
    case 'run': {
      const { clients, requests, counts, failed, duration_ms } = event.summary
      const rows = Object.values(counts).reduce(
        (sum, each) => sum + each.new + each.changed + each.settled,
        0,
      )
      return [
        `${at} === ${event.why}: ${clients} ${clients === 1 ? 'Client' : 'Clients'}, ${rows} rows, ${requests} requests  ${duration_ms}ms`,
        ...failed.map(
          ({ kind, subject, message, code }) =>
            `             ${safeText(`${kind} of ${subject}: ${message} (${code})`)}`,
        ),
      ]
    }
    case 'trouble':
      return [`${at} --- Nothing can be read now: ${safeText(event.message)}; it is tried again`]
    case 'well':
      return [`${at} --- It can be read again`]
  }
}

/** The object of an event, if it has one: of a reading, or the summary of a run. */
export function watchObject(event: WatchEvent): string | undefined {
  if (event.kind === 'run') return safeJson(event.summary)
  if (event.kind !== 'reread') return undefined
  const reread: Reread = {
    reread_at: new Date(event.at).toISOString(),
    client_id: event.clientId,
    read: event.what,
    ...event.counts,
    failed: event.failed.map(({ kind, subject, code, message }) => ({ kind, subject, code, message })),
    duration_ms: Math.round(event.durationMs),
  }
  return safeJson(reread)
}

function localTime(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
