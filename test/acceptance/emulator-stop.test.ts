import { expect, it } from 'vitest'
import { createEmulatorHome } from '../support/emulator-process.ts'

it('emulator stop shuts the emulator down cleanly; without one it says so (exit 11)', async () => {
  const home = await createEmulatorHome()
  try {
    const { pid } = await home.json<{ pid: number }>(['emulator', 'stop'])
    expect(pid).toBe(home.emulator.process.pid)
    expect((await home.emulator.ended).code).toBe(0)
    expect((await home.run(['emulator', 'stop'])).code).toBe(11)
  } finally {
    await home.remove()
  }
})
