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

/**
 * Starts the emulator on free ports; `BANKAPI_ENV=local` in its home. Ended by `remove()`. It keeps its data in memory,
 * unless `prepare` puts some into the home's folder first.
 */
export async function createEmulatorHome(
  flags: readonly string[] = [],
  prepare?: (folder: string) => Promise<void>,
): Promise<EmulatorHome> {
  const home = createHome({ keep: true, env: { BANKAPI_ENV: 'local', BANKAPI_CLIENT_ID: 'cli_demo' } })
  const ports = ['--port', '0', '--live-port', '0']
  await prepare?.(home.folder)
  const memory = prepare === undefined ? ['--memory'] : []
  const emulator = home.start(['emulator', 'start', ...memory, '--json', ...ports, ...flags])
  const ready = JSON.parse(await emulator.line()) as { sandbox: Base; live: Base }
  return { ...home, emulator, sandbox: ready.sandbox, live: ready.live }
}
