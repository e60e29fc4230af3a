import { expect, it } from 'vitest'
import { createEmulatorHome } from '../support/emulator-process.ts'

it.each([
  [['--seed', '7'], 'Made with seed 7: its keys, signing secrets and tokens are predictable.\n'],
  [[], ''],
])('emulator start %j says on stderr when its secrets are predictable', async (flags, said) => {
  const home = await createEmulatorHome(flags)
  try {
    await home.run(['emulator', 'stop'])
    const { code, stderr } = await home.emulator.ended
    expect([code, stderr]).toEqual([0, said])
  } finally {
    await home.remove()
  }
})

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
