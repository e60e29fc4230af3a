/** Asks the npm registry whether it has a newer version of this program. */
import { Deadline } from '../api/deadline.ts'
import { explain } from '../api/failures.ts'
import type { HttpReply } from '../api/http.ts'
import { timeoutsOf } from '../api/options.ts'
import { isLoopback, proxyFor } from '../api/proxy.ts'
import { undiciTransport } from '../api/undici-transport.ts'
import { GrowingBuffer } from '../growing-buffer.ts'
import { isExecutable } from '../machine/executable.ts'
import { type Machine, variable } from '../machine/machine.ts'
import { type Finding, ok, skipped, warning } from './_doctor.ts'

const REGISTRY = 'https://registry.npmjs.org'
const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 1024 * 1024

export interface Asked {
  readonly machine: Machine
  readonly program: { readonly name: string; readonly version: string; readonly userAgent: string }
  readonly signal: AbortSignal
}

/** What cannot be found out is no failure of this machine: the check is skipped, and its message says why. */
export async function checkUpdates(asked: Asked): Promise<Finding> {
  const { machine, program, signal } = asked
  const value =
    variable(machine, 'npm_config_registry') ?? variable(machine, 'NPM_CONFIG_REGISTRY') ?? REGISTRY
  const registry = registryOf(value)
  if (registry === undefined)
    return skipped('updates', 'NPM_CONFIG_REGISTRY is not the https address of a registry')
  const deadline = new Deadline(signal)
  deadline.allow(TIMEOUT_MS)
  let newest: string | undefined
  try {
    newest = await newestVersion(asked, registry, deadline)
  } catch (error) {
    if (signal.aborted) throw error
    return skipped(
      'updates',
      `Newer versions are not known: ${error instanceof Error ? error.message : error}`,
    )
  } finally {
    deadline.end()
  }
  if (newest === undefined)
    return skipped('updates', `${registry.origin} names no newest version of ${program.name}`)
  if (!isNewer(newest, program.version)) {
    return ok('updates', `${program.name} ${program.version} is the newest version at ${registry.origin}`)
  }
  return warning(
    'updates',
    `${program.name} ${newest} is out; this is ${program.version}`,
    isExecutable()
      ? 'Download it as you did this one; CHANGELOG.md says what is new'
      : `Install it: npm install -g ${program.name}@${newest}`,
  )
}

/** Without its credentials, which would go to the message. http is for a registry on this machine. */
function registryOf(value: string): URL | undefined {
  if (!URL.canParse(value)) return undefined
  const url = new URL(value)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)) ? url : undefined
}

/** Undefined for an answer without a version. @throws Error with a sentence when nothing can be asked or read. */
async function newestVersion(
  { machine, program }: Asked,
  registry: URL,
  deadline: Deadline,
): Promise<string | undefined> {
  const proxy = proxyFor(registry, machine.env)
  const target = `${registry.pathname.replace(/\/$/, '')}/${program.name}/latest`
  const transport = undiciTransport({ origin: registry.origin, proxy, timeouts: timeoutsOf({}) })
  let phase: 'headers' | 'body' = 'headers'
  try {
    const reply = await transport.send(
      {
        method: 'GET',
        target,
        headers: { accept: 'application/json', 'user-agent': program.userAgent },
      },
      deadline.signal,
    )
    phase = 'body'
    const answer = await textOf(reply)
    const version =
      reply.status === 200 ? (JSON.parse(answer) as { version?: unknown } | null)?.version : undefined
    return typeof version === 'string' && /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version) ? version : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw explain(error, {
      route: { origin: registry, proxy },
      operation: { method: 'GET', path: target },
      phase,
      expired: deadline.expired,
    })
  } finally {
    await transport.close()
  }
}

async function textOf({ body }: HttpReply): Promise<string> {
  const whole = new GrowingBuffer(MAX_ANSWER_BYTES)
  for await (const chunk of body) {
    if (!whole.append(chunk as Uint8Array)) return ''
  }
  return whole.bytes().toString('utf8')
}

/** Whether a released version is newer than this one, which may be a prerelease of it. */
function isNewer(released: string, current: string): boolean {
  const [numbers = '', prerelease] = current.split(/-(.*)/s)
  const [theirs, ours] = [released, numbers].map((version) => version.split('.').map(Number))
  for (const [index, number] of (theirs ?? []).entries()) {
    const own = ours?.[index] ?? 0
    if (number !== own) return number > own
  }
  return prerelease !== undefined
}
