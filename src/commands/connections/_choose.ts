/** Chooses the Connections of a command for many: named ones, those on stdin, or those of Clients; of these with `--where`. */
import type { CallOptions } from '../../api/options.ts'
import { refusePlaceholder } from '../../cli/command/flags.ts'
import { idsFromStdin } from '../../cli/command/ids-from-stdin.ts'
import type { Session } from '../../cli/command/session.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { Client } from '../../contract/clients.ts'
import type { Connection } from '../../contract/connections.ts'
import { ConnectionId } from '../../contract/ids.ts'
import { systemClock } from '../../machine/machine.ts'
import { matchingJq } from '../../output/formats/jq.ts'
import { OutputError } from '../../output/output-error.ts'
import { connectionsAcross } from '../../workflows/across-clients.ts'
import { Limiter } from '../../workflows/limiter.ts'

/** A Connection, and what is known of it: nothing but its id where it was named and nothing asked for more. */
export interface Chosen {
  readonly id: string
  readonly client?: Pick<Client, 'id' | 'external_id'> | undefined
  readonly connection?: Connection | undefined
}

export interface Choice {
  readonly ids: readonly string[]
  readonly stdin: boolean
  readonly allClients?: boolean
  readonly clients?: readonly string[] | undefined
  readonly where: string | undefined
  readonly concurrency: number
  /** Reads named ones, too, so that their status is known. */
  readonly read?: boolean
}

interface Means {
  readonly session: Session
  readonly terminal: Terminal
  readonly signal: AbortSignal
}

/** Each Connection once. @throws UsageError when none, or two ways at once, were named; whatever a read throws. */
export async function chooseConnections(choice: Choice, means: Means): Promise<Chosen[]> {
  const { where, concurrency } = choice
  const across = choice.allClients === true || (choice.clients?.length ?? 0) > 0
  const ways = [choice.ids.length > 0, choice.stdin, across].filter((way) => way)
  if (ways.length !== 1) {
    throw new UsageError(
      ways.length === 0 ? 'Which Connections?' : 'Connections were named in more than one way',
      {
        code: 'connections_not_named',
        hint: 'Name ids, or give them with --stdin, or choose with --all-clients or --client; of these with --where',
      },
    )
  }
  if (where !== undefined) await assertWhere(where)
  const limiter = new Limiter({ clock: systemClock, concurrency })
  if (across) {
    const found: Chosen[] = []
    const { session, signal } = means
    const clients = choice.allClients ? undefined : choice.clients
    for await (const { client, connection } of connectionsAcross(session.api, { clients, limiter, signal }))
      found.push({ id: connection.id, client, connection })
    return filtered(found, where)
  }
  const ids = choice.stdin
    ? await idsFromStdin(means.terminal, means.signal, async (id) => {
        await refusePlaceholder(id)
        assertId(id)
      })
    : [...new Set(choice.ids)]
  for (const id of ids) assertId(id)
  if (!choice.read && where === undefined) return ids.map((id) => ({ id }))
  return filtered(await readAll(ids, limiter, means), where)
}

function assertId(id: string): void {
  const checked = ConnectionId.safeParse(id)
  if (checked.success) return
  throw new UsageError(`"${id}": ${checked.error.issues[0]?.message ?? 'no id'}`, { code: 'invalid_id' })
}

/** Reads all of them before anything is done: one that is not there is an error then, and nothing was sent. */
async function readAll(
  ids: readonly string[],
  limiter: Limiter,
  { session: { api }, signal }: Means,
): Promise<Chosen[]> {
  const options: CallOptions = { signal }
  return Promise.all(
    ids.map(async (id) => {
      const connection = await limiter.run(() => api.connections.get({ connection_id: id }, options), signal)
      return {
        id,
        connection,
        ...(connection.client_id === undefined ? {} : { client: { id: connection.client_id } }),
      }
    }),
  )
}

async function filtered(all: readonly Chosen[], where: string | undefined): Promise<Chosen[]> {
  if (where === undefined) return [...all]
  const matching = await matchingJq(
    all.map(({ connection }) => connection),
    where,
  ).catch(asWhere)
  return all.filter((_, index) => matching[index])
}

/** @throws UsageError before anything is read, when the expression does not compile. */
async function assertWhere(where: string): Promise<void> {
  await matchingJq([], where).catch(asWhere)
}

function asWhere(error: unknown): never {
  if (!(error instanceof OutputError)) throw error
  throw new UsageError(error.message.replace('--jq', '--where').replace('this document', 'a Connection'), {
    code: error.code,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  })
}
