/** Where an answer departs from the contract. Reading is lenient: this only tells, it changes nothing. */
import type { z } from 'zod'
import type { ContractWarning } from './options.ts'

type Issue = z.core.$ZodIssue

/** Longest value of an enumeration that a warning repeats. */
const longestValue = 60

/** Items of a list that are all looked at; from then on it is a few of each page, as looking costs as much as reading. */
const allOfTheFirst = 1000
const fewOfEachPage = 10

/** Passes each distinct departure on once, however many pages and items show it. */
export function createWatcher(onWarning: (warning: ContractWarning) => void) {
  const told = new Set<string>()
  const lookedAt = new Map<string, number>()

  const sample = (operation: string, answer: unknown): unknown => {
    const items = valueAt(answer, ['data'])
    if (!Array.isArray(items)) return answer
    const before = lookedAt.get(operation) ?? 0
    lookedAt.set(operation, before + items.length)
    return before < allOfTheFirst ? answer : { ...(answer as object), data: items.slice(0, fewOfEachPage) }
  }

  return (operation: string, schema: z.ZodType, answer: unknown): void => {
    const data = sample(operation, answer)
    // Compiling a schema for speed takes longer than looking at what is looked at.
    const result = schema.safeParse(data, { jitless: true })
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
