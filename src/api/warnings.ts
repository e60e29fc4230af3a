/** Warns where an answer departs from the contract. Reading is lenient: the answer is passed on unchanged. */
import type { z } from 'zod'
import type { ContractWarning } from './options.ts'

type Issue = z.core.$ZodIssue

/** Characters of an unknown value that a warning repeats. */
const MAX_VALUE_LENGTH = 60

/** Items of a list that are all checked; after them only a few of each page, as checking takes as long as reading. */
const MAX_CHECKED_ITEMS = 1000
const SAMPLE_OF_EACH_PAGE = 10

/** Returns a function that checks answers and passes each distinct warning on once. */
export function createWatcher(onWarning: (warning: ContractWarning) => void) {
  const warned = new Set<string>()
  const checkedCount = new Map<string, number>()

  const sample = (operation: string, answer: unknown): unknown => {
    const items = valueAt(answer, ['data'])
    if (!Array.isArray(items)) return answer
    const before = checkedCount.get(operation) ?? 0
    checkedCount.set(operation, before + items.length)
    return before < MAX_CHECKED_ITEMS
      ? answer
      : { ...(answer as object), data: items.slice(0, SAMPLE_OF_EACH_PAGE) }
  }

  return (operation: string, schema: z.ZodType, answer: unknown): void => {
    const data = sample(operation, answer)
    // Compiling a schema takes longer than it saves on so few items.
    const result = schema.safeParse(data, { jitless: true })
    for (const issue of result.error?.issues ?? []) {
      const warning = warningOf(operation, issue, data)
      const key = `${operation} ${warning.at} ${warning.message}`
      if (warned.has(key)) continue
      warned.add(key)
      onWarning(warning)
    }
  }
}

function warningOf(operation: string, issue: Issue, data: unknown): ContractWarning {
  const at = pathText(issue.path)
  const value = valueAt(data, issue.path)
  if (value === undefined)
    return { operation, at, problem: 'missing', message: `${operation}: ${at} is missing` }
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const shown = value.length > MAX_VALUE_LENGTH ? `${value.slice(0, MAX_VALUE_LENGTH)}…` : value
    return {
      operation,
      at,
      problem: 'unknown_value',
      message: `${operation}: ${at} has the unknown value "${shown}"`,
    }
  }
  // Other values are not repeated: they may be anything, an account number or a secret.
  const expected = issue.code === 'invalid_type' ? `, expected ${issue.expected}` : ''
  return {
    operation,
    at,
    problem: 'unexpected',
    message: `${operation}: ${at} is not as documented${expected}`,
  }
}

/** `data[].type`: which item it was does not matter, so that a list warns once. */
function pathText(path: readonly PropertyKey[]): string {
  const text = path.map((key) => (typeof key === 'number' ? '[]' : `.${String(key)}`)).join('')
  return text.replace(/^\./, '') || 'the answer'
}

function valueAt(data: unknown, path: readonly PropertyKey[]): unknown {
  let value: unknown = data
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[key]
  }
  return value
}
