import { expect, test } from 'vitest'
import { runningEmulator } from '../support/running-emulator.ts'

test("the Date of an answer follows the service's own clock", async () => {
  const emulator = await runningEmulator()
  const dateOf = async () => {
    const response = await fetch(`${emulator.sandbox.base_url}/health`)
    await response.text()
    return Date.parse(response.headers.get('date') ?? '')
  }
  const before = await dateOf()
  await emulator.advance(3 * 86_400_000)
  expect((await dateOf()) - before).toBeGreaterThanOrEqual(3 * 86_400_000 - 1000)
})
