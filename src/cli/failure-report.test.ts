import { describe, expect, it } from 'vitest'
import { wantsJson } from './failure-report.ts'

describe('an error is a JSON document when stdout was to be JSON', () => {
  it.each([
    [['clients', 'list', '--json']],
    [['clients', 'list', '--jq', '.data']],
    [['clients', 'list', '--jq=.data']],
    [['clients', 'list', '-o', 'json']],
    [['clients', 'list', '-ojson']],
    [['clients', 'list', '--output=ndjson']],
    [['--json', 'nonsense']],
  ])('%j', (argv) => {
    expect(wantsJson(argv)).toBe(true)
  })

  it.each([
    [['clients', 'list']],
    [['clients', 'list', '-o', 'csv']],
    [['api', 'GET', '/x', '--', '--json']],
  ])('%j is for people', (argv) => {
    expect(wantsJson(argv)).toBe(false)
  })
})
