import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/machine.ts'
import { BulkRun } from './bulk-run.ts'
import { LeftFile } from './left-file.ts'

function runOf(left?: LeftFile) {
  const said: string[] = []
  const interrupt = new AbortController()
  const run = new BulkRun(
    {
      progress: {
        update: (state) => said.push(`progress: ${typeof state === 'string' ? state : state.text}`),
      },
      signal: interrupt.signal,
      note: (sentence) => said.push(sentence),
      warning: (sentence) => said.push(`Warning: ${sentence}`),
      leaveWith: (name) => said.push(`exit: ${name}`),
    },
    left,
  )
  return { run, said, interrupt }
}

const rows = [
  { connection_id: 'con_FDE_1', outcome: 'left' },
  { connection_id: 'con_FDE_2', outcome: 'unknown' },
]
const ending = {
  stop: undefined,
  retryAfterMs: undefined,
  aboutUnknown: 'Look at them.',
  again: 'bankapi again',
}

test('at its end what is left is in the file before the words are said; what is unknown is a warning, and not in it', () => {
  const path = join(temporaryFolder(), 'left')
  const { run, said } = runOf(new LeftFile(path))
  expect(run.end(rows, ending)).toEqual({ data: rows, summary: { left: 1, unknown: 1 } })
  expect(readFileSync(path, 'utf8')).toBe('con_FDE_1\n')
  expect(said).toEqual([])
  run.tellEnd()
  expect(said).toEqual([
    '2: 1 left, 1 unknown.',
    `Go on: bankapi again < ${path}`,
    'Warning: unknown, because the answer was lost: con_FDE_2. Look at them.',
    'exit: operationFailed',
  ])
})

test('a file that cannot be written is told after the last words, which do not name it', () => {
  const folder = temporaryFolder()
  const { run, said } = runOf(new LeftFile(join(folder, 'left')))
  rmSync(folder, { recursive: true })
  run.end(rows.slice(0, 1), ending)
  expect(() => run.tellEnd()).toThrow(expect.objectContaining({ code: 'not_writable' }))
  expect(said.join('\n')).toContain('1: 1 left.')
  expect(said.join('\n')).not.toContain(folder)
})

test('Ctrl-C says where the rest is once anything may have been sent, and is thrown at the end', () => {
  const left = new LeftFile(join(temporaryFolder(), 'left'))
  const early = runOf(left)
  early.interrupt.abort()
  expect(early.said).toEqual([])

  const { run, said, interrupt } = runOf(left)
  left.begin(['con_FDE_1'])
  interrupt.abort(new Error('Ctrl-C'))
  expect(said).toEqual([expect.stringContaining(`what was not sent is in ${left.path}`)])
  run.end(rows.slice(0, 1), { ...ending, stop: 'interrupted' })
  expect(() => run.tellEnd()).toThrow('Ctrl-C')
})

test('rows about files are counted, and go on with the same command', () => {
  const { run, said } = runOf()
  run.onProgress({ total: 2, done: 1, failed: 0, waiting: 0 })
  run.end([{ outcome: 'saved' }, { outcome: 'left' }], { stop: 'limited', retryAfterMs: undefined })
  run.tellEnd()
  expect(said).toEqual([
    expect.stringMatching(/^progress: 1 done, 0 failed, 1 left, about \d+ s$/),
    '2: 1 saved, 1 left. Stopped: the service refused three in a row (429).',
    'exit: rateLimited',
  ])
})

test('a run that was not ended says nothing', () => {
  const { run, said } = runOf()
  run.tellEnd()
  expect(said).toEqual([])
})
