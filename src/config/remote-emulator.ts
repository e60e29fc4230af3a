/** An emulator on another machine or in another container, which `local` means when BANKAPI_EMULATOR has its address. */
import * as z from 'zod'
import { type Machine, variable } from '../machine/machine.ts'
import { isPrivateAddress, isPrivateName } from '../private-names.ts'
import { isThisMachine } from './base-url.ts'
import type { RunningEmulator } from './emulator-state.ts'
import { ConfigError } from './errors.ts'

/** How long it may take to say where it is. */
const TIMEOUT_MS = 5000

/**
 * The origin that BANKAPI_EMULATOR names, such as `http://emulator:4010`; undefined when it is not set. It is https, unless
 * nobody on the internet can be behind its host: what is sent to it can be read by everybody on the way.
 * Throws ConfigError `emulator_address_invalid`.
 */
export function remoteEmulator(machine: Machine): URL | undefined {
  const text = variable(machine, 'BANKAPI_EMULATOR')
  if (text === undefined) return undefined
  const url = URL.parse(text)
  const reason = fault(url)
  if (url !== null && reason === undefined) return url
  throw new ConfigError(
    'emulator_address_invalid',
    `The address in BANKAPI_EMULATOR ${reason}.`,
    'It looks like http://emulator:4010, the port being that of the sandbox base',
  )
}

/** What is wrong with the address, as the end of a sentence. */
function fault(url: URL | null): string | undefined {
  if (url === null) return 'is not a URL'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'is neither https nor http'
  if (url.href !== `${url.origin}/`) return 'has more than a host and a port'
  const isPrivate = isThisMachine(url) || isPrivateName(url.hostname) || isPrivateAddress(url.hostname)
  if (url.protocol === 'http:' && !isPrivate) {
    return 'is not https, and its host is neither a name without a dot nor in a private network'
  }
  return undefined
}

const Status = () => {
  const environment = z.object({ base_url: z.url(), api_key: z.string(), portal_secret: z.string() })
  return z.object({ pid: z.int(), sandbox: environment, live: environment })
}

/**
 * Asks the emulator for its keys; its addresses are those under which it was reached.
 * Throws ConfigError `emulator_not_running` when it does not answer as an emulator does.
 */
export async function askRemoteEmulator(origin: URL, now: number): Promise<RunningEmulator> {
  const controls = new URL('/_emulator', origin).href
  const headers = { 'X-Bankapi-Emulator': '1' }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const answer = await fetch(`${controls}/status`, { headers, redirect: 'error', signal })
    .then((response) => response.json())
    .catch((error: Error) => {
      throw remoteNotAnswering(origin, String(error.cause ?? error))
    })
  const { success, data } = Status().safeParse(answer)
  if (!success) throw remoteNotAnswering(origin, 'what is there is no emulator')
  const { pid, sandbox, live } = data
  const liveBase = new URL(origin)
  liveBase.port = new URL(live.base_url).port
  return {
    pid,
    started_at: new Date(now).toISOString(),
    sandbox: { ...sandbox, base_url: `${origin.origin}/v3` },
    live: { ...live, base_url: `${liveBase.origin}/v3` },
    control_url: controls,
  }
}

export function remoteNotAnswering({ origin }: URL, why: string): ConfigError {
  return new ConfigError(
    'emulator_not_running',
    `The emulator at ${origin} (BANKAPI_EMULATOR) does not answer: ${why}.`,
    'Start it so that it can be reached: bankapi emulator start --host 0.0.0.0',
  )
}
