/** Starts `bankapi emulator start` in a home whose `--env local` finds it. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { createHome, type Home, type Started } from './cli.ts'
import { type ValidatingProxy, validatingProxy } from './validating-proxy.ts'

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

const env = { BANKAPI_ENV: 'local', BANKAPI_CLIENT_ID: 'cli_demo' }

/**
 * Starts the emulator on free ports, with `BANKAPI_ENV=local` in its home. `remove()` stops it. Its data is in memory, unless
 * `prepare` first puts some into the home's folder. `more` are further variables of every process.
 */
export async function createEmulatorHome(
  flags: readonly string[] = [],
  prepare?: (folder: string) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<EmulatorHome> {
  const home = createHome({ keep: true, env: { ...env, ...more } })
  const ports = ['--port', '0', '--live-port', '0']
  await prepare?.(home.folder)
  const memory = prepare === undefined ? ['--memory'] : []
  const emulator = home.start(['emulator', 'start', ...memory, '--json', ...ports, ...flags])
  const ready = JSON.parse(await emulator.line()) as { sandbox: Base; live: Base }
  return { ...home, emulator, sandbox: ready.sandbox, live: ready.live }
}

/** With BANKAPI_VALIDATE=1 what goes between a command and the emulator is compared with the OpenAPI document. */
const validates = process.env['BANKAPI_VALIDATE'] === '1'

/**
 * For a test file: one emulator for all of its tests. Each test finds it as it started, from a new home that is removed
 * after the test together with what still runs in it. `flags` are those of `emulator start`.
 */
export function emulatorHome(flags: readonly string[] = []): EmulatorHome {
  let shared: EmulatorHome
  let home: Home
  let proxy: ValidatingProxy | undefined
  beforeAll(async () => {
    shared = await createEmulatorHome(flags)
    if (validates) proxy = await validatingProxy(shared.sandbox.base_url)
    return async () => {
      await proxy?.close()
      await shared.remove()
    }
  })
  beforeEach(async () => {
    await reset(shared)
    home = createHome({ env })
    for (const folder of ['data', 'data/emulator']) mkdirSync(join(home.folder, folder), { mode: 0o700 })
    const running = join('data', 'emulator', 'running.json')
    const state = readFileSync(join(shared.folder, running), 'utf8')
    const passed = proxy ? state.replaceAll(shared.sandbox.base_url, proxy.baseUrl) : state
    writeFileSync(join(home.folder, running), passed, { mode: 0o600 })
  })
  afterEach(async () => {
    expect((await proxy?.violations())?.map(({ text }) => text) ?? []).toEqual([])
  })
  return {
    get folder() {
      return home.folder
    },
    get env() {
      return home.env
    },
    get emulator() {
      return shared.emulator
    },
    get sandbox() {
      return shared.sandbox
    },
    get live() {
      return shared.live
    },
    run: (args, options) => home.run(args, options),
    json: (args, options) => home.json(args, options),
    start: (args, options) => home.start(args, options),
    remove: () => home.remove(),
  }
}

/** Restores the data, the clock and the keys that the emulator started with. */
async function reset({ sandbox }: EmulatorHome): Promise<void> {
  const url = new URL('/_emulator/reset', sandbox.base_url)
  const { status } = await fetch(url, { method: 'POST', headers: { 'X-Bankapi-Emulator': '1' } })
  if (status !== 200) throw new Error(`the emulator was not reset: ${status}`)
}
