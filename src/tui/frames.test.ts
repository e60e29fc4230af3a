import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFrames } from './frames.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Requests a frame each millisecond; returns when frames were drawn, each taking `drawing` ms. */
function drawnAt(forMs: number, drawing = 0, urgentAt = -1): number[] {
  let now = 0
  const frames: number[] = []
  const { request, stop } = createFrames(
    () => {
      frames.push(now)
      now += drawing
    },
    () => now,
  )
  while (now < forMs) {
    request(now >= urgentAt && urgentAt !== -1)
    now++
    vi.advanceTimersByTime(1)
  }
  stop()
  return frames
}

test('thirty frames in a second at most, whatever happens', () => {
  const frames = drawnAt(1000)
  expect(frames.length).toBeGreaterThan(25)
  expect(frames.length).toBeLessThanOrEqual(30)
})

test('the first change after a quiet time is drawn at once', () => {
  expect(drawnAt(5)).toEqual([1])
})

test('slow drawing takes half of the time at most', () => {
  const frames = drawnAt(10_000, 100)
  expect(frames.length * 100).toBeLessThanOrEqual(5100)
})

test('a key does not wait for that, but for thirty frames in a second', () => {
  const frames = drawnAt(1000, 100, 0)
  expect(frames.length).toBeGreaterThanOrEqual(9)
  expect(drawnAt(1000, 0, 0).length).toBeLessThanOrEqual(30)
})
