import { UsageError } from '../../cli/errors/errors.ts'

/**
 * Sets `a.b.0=value` in a JSON object, in the place of what is there; objects on the way are made. The value is JSON
 * where it reads as JSON (`true`, `3`, `null`, `{…}`, `"3"`), else text.
 * @throws UsageError when it is no assignment, or leads through something that is no object or list.
 */
export function setField(target: Record<string, unknown>, assignment: string): void {
  const equals = assignment.indexOf('=')
  if (equals < 1) {
    throw new UsageError(`"${assignment}" sets no field`, {
      hint: 'Write it like --set data.connection.status=failed',
    })
  }
  const steps = assignment.slice(0, equals).split('.')
  const last = steps.pop() ?? ''
  let holder: object = target
  for (const step of steps) {
    if (!Object.hasOwn(holder, step)) define(holder, step, {})
    const next = (holder as Record<string, unknown>)[step]
    if (typeof next !== 'object' || next === null) {
      throw new UsageError(`"${assignment}" sets no field: ${step} is no object`, { code: 'invalid_field' })
    }
    holder = next
  }
  define(holder, last, readValue(assignment.slice(equals + 1)))
}

/** Not by assignment: `__proto__` is a field name like any other. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
