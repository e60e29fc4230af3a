/** Where an answer departs from the contract. Reading is lenient: this only tells, it changes nothing. */
import type { z } from 'zod'
import type { ContractWarning } from './options.ts'

type Issue = z.core.$ZodIssue

/** Longest value of an enumeration that a warning repeats. */
const longestValue = 60

/** Passes each distinct departure on once, however many pages and items show it. */
export function createWatcher(onWarning: (warning: ContractWarning) => void) {
  const told = new Set<string>()
  return (operation: string, schema: z.ZodType, data: unknown): void => {
    const result = schema.safeParse(data)
    for (const issue of result.error?.issues ?? []) {
      const warning = warningOf(operation, issue, data)
      const key = `${operation} ${warning.at} ${warning.message}`
      if (told.has(key)) continue
      told.add(key)
      onWarning(warning)
    }
  }
}

function warningOf(operation: string, issue: Issue, data: unknown): ContractWarning {
  const at = place(issue.path)
  const value = valueAt(data, issue.path)
  if (value === undefined)
    return { operation, at, problem: 'missing', message: `${operation}: ${at} is missing` }
  if (issue.code === 'invalid_value' && typeof value === 'string') {
    const shown = value.length > longestValue ? `${value.slice(0, longestValue)}…` : value
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
function place(path: readonly PropertyKey[]): string {
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
