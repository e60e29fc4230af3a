import { UsageError } from '../../cli/errors/errors.ts'
import { type EventType, eventTypes } from '../../contract/events.ts'

/**
 * The event types that names and patterns (`connection.*`) stand for; every real one without any.
 * @throws UsageError for a name that stands for none.
 */
export function eventTypesMatching(patterns: readonly string[] | undefined): EventType[] {
  if (patterns === undefined) return eventTypes.filter((type) => type !== 'webhook.test')
  const found = new Set<EventType>()
  for (const pattern of patterns) {
    const matching = eventTypes.filter((type) => matches(pattern, type))
    if (matching.length === 0) {
      throw new UsageError(`No event type is called ${pattern}`, {
        code: 'unknown_event_type',
        hint: `Event types: ${eventTypes.join(', ')}`,
      })
    }
    for (const type of matching) found.add(type)
  }
  return [...found]
}

function matches(pattern: string, type: string): boolean {
  return new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`).test(type)
}
