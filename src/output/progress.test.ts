import stringWidth from 'string-width'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { formatBytes } from './bar.ts'
import { plainPaint } from './palette.ts'
import { createProgress, type ProgressOptions } from './progress.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start(options: Partial<ProgressOptions> = {}) {
  let written = ''
  const stream = { write: (text: string) => (written += text) }
  const progress = createProgress(stream, {
    tty: true,
    width: () => 60,
    paint: plainPaint,
    ...options,
  })
  return { progress, written: () => written, frames: () => written.split('\r\u001b[K').slice(1) }
}

test('what is done at once shows nothing', () => {
  const { progress, written } = start()
  progress.update('Refreshing')
  vi.advanceTimersByTime(50)
  progress.stop()
  expect(written()).not.toContain('Refreshing')
})

test('a line redraws itself in place and is taken away at the end', () => {
  const { progress, frames, written } = start()
  progress.update('Refreshing\u001b[2J')
  vi.advanceTimersByTime(200)
  progress.update('Still refreshing')
  vi.advanceTimersByTime(100)
  progress.stop()
  progress.stop()
  expect(frames()).toEqual(['⠙ Refreshing\\x1b[2J', '⠹ Refreshing\\x1b[2J', '⠸ Still refreshing', ''])
  expect(written()).not.toContain('\n')
  expect(vi.getTimerCount()).toBe(0)
})

test('with a total it is a bar with percent and amounts', () => {
  const { progress, frames } = start()
  progress.update({ text: 'statement.pdf', done: 1_500_000, total: 3_000_000, unit: formatBytes })
  vi.advanceTimersByTime(80)
  expect(frames()[0]).toMatch(/^⠙ █+░+ 50% 1\.5 MB\/3\.0 MB statement\.pdf$/)
  progress.stop()
})

test('it never takes more than one line, however long the text and narrow the terminal', () => {
  for (const columns of [4, 12, 40, 80]) {
    const { progress, frames } = start({ width: () => columns })
    progress.update({ text: '日本語 '.repeat(40), done: 5, total: 10 })
    vi.advanceTimersByTime(400)
    for (const frame of frames()) expect(stringWidth(frame)).toBeLessThan(columns)
    progress.stop()
  }
})

test('a line that stays goes above the moving one', () => {
  const { progress, frames } = start()
  progress.update('Waiting')
  vi.advanceTimersByTime(80)
  progress.line('warning: slow')
  expect(frames()).toEqual(['⠙ Waiting', 'warning: slow\n', '⠙ Waiting'])
  progress.stop()
})

test('without a terminal there is nothing, or a plain line per new text', () => {
  const silent = start({ tty: false })
  silent.progress.update('Waiting')
  vi.advanceTimersByTime(1_000)
  silent.progress.stop()
  expect(silent.written()).toBe('')

  const plain = start({ tty: false, plainLines: true })
  plain.progress.update('Waiting')
  plain.progress.update({ text: 'Waiting', done: 1, total: 2 })
  plain.progress.update('Reading\u001b')
  plain.progress.stop()
  expect(plain.written()).toBe('Waiting\nReading\\x1b\n')
})
