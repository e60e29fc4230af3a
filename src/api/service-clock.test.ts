import { expect, test } from 'vitest'
import { ServiceClock } from './service-clock.ts'

const noon = Date.UTC(2026, 4, 22, 12)
const headers = (ms: number) => ({ date: new Date(noon + ms).toUTCString() })

test('goes by the Date of answers where that is more than a minute from this clock', () => {
  const clock = new ServiceClock(() => noon)
  expect(clock.now()).toBe(noon)
  clock.note(headers(60_000))
  expect(clock.now()).toBe(noon)
  clock.note(headers(61_000))
  expect(clock.now()).toBe(noon + 61_000)
  clock.note(headers(-86_400_000))
  expect(clock.now()).toBe(noon - 86_400_000)
})

test('stays where an answer has no Date, or none that can be read', () => {
  const clock = new ServiceClock(() => noon)
  clock.note(headers(86_400_000))
  clock.note({})
  clock.note({ date: 'yesterday' })
  expect(clock.now()).toBe(noon + 86_400_000)
  clock.note(headers(0))
  expect(clock.now()).toBe(noon)
})
