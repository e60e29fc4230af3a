/** When the service's own refresh of a bank is due: a day from now, and once. */
import { day, type Engine } from './engine.ts'

/** Puts it on the agenda unless it stands there already, from before a Connection was over and began anew. */
export function refreshDailyFromNow({ agenda }: Pick<Engine, 'agenda'>, connection: number): void {
  const job = { kind: 'daily_refresh', connection } as const
  if (!agenda.has(job)) agenda.add(day, job)
}
