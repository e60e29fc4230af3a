/** A running `bankapi emulator start`, and a home whose `--env local` is it. */
import { createHome, type Home, type Started } from './cli.ts'

interface Base {
  readonly base_url: string
  readonly api_key: string
  readonly portal_secret: string
}

export interface EmulatorHome extends Home {
  readonly emulator: Started
  readonly sandbox: Base
  readonly live: Base
}

/** Starts the emulator on free ports, in memory; `BANKAPI_ENV=local` in its home. Ended by `remove()`. */
export async function createEmulatorHome(flags: readonly string[] = []): Promise<EmulatorHome> {
  const home = createHome({ keep: true, env: { BANKAPI_ENV: 'local', BANKAPI_CLIENT_ID: 'cli_demo' } })
  const ports = ['--port', '0', '--live-port', '0']
  const emulator = home.start(['emulator', 'start', '--memory', '--json', ...ports, ...flags])
  const ready = JSON.parse(await emulator.line()) as { sandbox: Base; live: Base }
  return { ...home, emulator, sandbox: ready.sandbox, live: ready.live }
}
