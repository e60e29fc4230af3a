/** Makes links for many Connections and writes them to the file of a mail merge; the rows it returns have none. */
import type { Session } from '../../cli/command/session.ts'
import type { CommandContext } from '../../cli/errors/errors.ts'
import { describeFailure } from '../../cli/errors/report.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import type { Client } from '../../contract/clients.ts'
import { systemClock } from '../../machine/machine.ts'
import type { Field } from '../../output/fields.ts'
import { clientsAcross } from '../../workflows/across-clients.ts'
import type { LeftItems } from '../../workflows/bulk.ts'
import { type BulkReauthorize, type Linked, reauthorizeInBulk } from '../../workflows/bulk-reauthorize.ts'
import type { BulkProgress } from '../../workflows/bulk-refresh.ts'
import type { WorkflowContext } from '../../workflows/context.ts'
import { Limiter } from '../../workflows/limiter.ts'
import { isUserRepairable, judge } from '../../workflows/triage.ts'
import { type Choice, type Chosen, chooseConnections } from './_choose.ts'
import { KnownLinks, type SkipReason } from './_known-links.ts'
import { LinksFile } from './_links-file.ts'
import { reauthorizeLinks } from './_reauthorize-links.ts'

export interface LinkRow {
  readonly connection_id: string
  readonly client_id: string | null
  readonly client_external_id: string | null
  readonly institution_name: string | null
  readonly outcome: Linked['outcome'] | 'skipped'
  readonly expires_at: string | null
  readonly code: string | null
  readonly message: string | null
}

export const linkRowKeys: readonly (keyof LinkRow)[] = [
  'connection_id',
  'client_id',
  'client_external_id',
  'institution_name',
  'outcome',
  'expires_at',
  'code',
  'message',
]

export const linkRowFields: readonly Field<LinkRow>[] = [
  { key: 'connection_id', header: 'connection', kind: 'id', priority: 9 },
  { key: 'client_id', header: 'client', kind: 'id', priority: 3 },
  { key: 'outcome', kind: 'status', priority: 8 },
  { key: 'expires_at', header: 'expires', kind: 'time', priority: 4 },
  { key: 'message', priority: 7 },
]

export interface LinkOrder extends Omit<Choice, 'allClients' | 'clients' | 'read'> {
  readonly keepGoing: boolean
  /** Make a second link where one is valid. */
  readonly fresh: boolean
  readonly to: string
  readonly left: LeftItems | undefined
}

export interface LinkMeans extends WorkflowContext<BulkProgress> {
  readonly session: Session
  readonly terminal: Terminal
  readonly failureContext: CommandContext
  readonly confirm: (question: string) => Promise<void>
  readonly warning: (sentence: string) => void
  readonly command: (...words: readonly string[]) => string
}

/** @throws UsageError when the user declines or the file is there already; no link is made then. */
export async function makeLinks(
  order: LinkOrder,
  means: LinkMeans,
): Promise<{
  readonly rows: readonly LinkRow[]
  /** Why each that was skipped was. */
  readonly skipped: readonly string[]
  readonly end: Omit<BulkReauthorize, 'linked'>
}> {
  const { session, confirm, warning } = means
  const chosen = await chooseConnections({ ...order, read: true }, means)
  const known = new KnownLinks(session.machine, session.environment.value)
  const skipped = new Map<string, SkipReason>()
  for (const one of chosen) {
    const why = whyNot(one, means) ?? (order.fresh ? undefined : known.of(one.id))
    if (why !== undefined) skipped.set(one.id, why)
  }
  const ids = chosen.map(({ id }) => id).filter((id) => !skipped.has(id))
  const connections = new Map(chosen.map(({ id, connection }) => [id, connection]))
  const clients = await clientsOf(chosen, order.concurrency, means)
  const notKept = new Set<string>()
  const store = reauthorizeLinks(session, (id) => {
    if (notKept.size === 0)
      warning(`no keychain answers: ${order.to} alone has these links, and is not written a second time`)
    notKept.add(id)
  })
  let file: LinksFile | undefined
  try {
    const { linked, ...end } = await reauthorizeInBulk(means, store, ids, {
      concurrency: order.concurrency,
      keepGoing: order.keepGoing,
      fresh: order.fresh,
      marks: known,
      left: order.left,
      async confirm(toMake, valid) {
        if (toMake > 0) {
          const noted = order.fresh ? ids.filter((id) => known.of(id) !== undefined) : []
          const before = new Set([...valid, ...noted]).size
          const again =
            before === 0
              ? ''
              : order.fresh
                ? ` (${before} of them a second one, while the first may be valid)`
                : ` (${before} made before are still valid)`
          await confirm(
            `Make ${toMake} link${toMake === 1 ? '' : 's'} for users to repair their Connections in ${session.environment.value}${again}? ` +
              'Accounts shared through them may be billed.',
          )
        }
        if (ids.length > 0) file = await LinksFile.create(order.to)
      },
      async keep(id, link) {
        const connection = connections.get(id)
        if (connection !== undefined)
          await file?.add(clients.get(connection.client_id ?? ''), connection, link)
        if (notKept.has(id)) known.note(id, link.action.expires_at, order.to)
        else known.clear(id)
      },
    })
    const outcomes = new Map(linked.map((one) => [one.connectionId, one]))
    const rows = chosen.map((one) =>
      rowOf(
        one,
        clients.get(one.connection?.client_id ?? ''),
        outcomes.get(one.id),
        skipped.get(one.id),
        means,
      ),
    )
    return { rows, skipped: [...skipped.values()].map(({ reason }) => reason), end }
  } finally {
    await file?.close()
  }
}

/** Why a link is of no use to it: nobody, or somebody else than its user, has to act. */
function whyNot({ connection }: Chosen, means: LinkMeans): SkipReason | undefined {
  if (connection === undefined || isUserRepairable(connection)) return undefined
  const judgement = judge(connection, means)
  return judgement === undefined
    ? { message: 'it works', reason: 'it works' }
    : { message: `${judgement.reason}; next: ${judgement.next}`, reason: 'a link does not repair it' }
}

/** The Clients with their e-mail addresses, which only the list of Clients has. */
async function clientsOf(
  chosen: readonly Chosen[],
  concurrency: number,
  { session, signal }: LinkMeans,
): Promise<ReadonlyMap<string, Client>> {
  const ids = [...new Set(chosen.flatMap(({ connection }) => connection?.client_id ?? []))]
  const found = new Map<string, Client>()
  if (ids.length === 0) return found
  const limiter = new Limiter({ clock: systemClock, concurrency })
  for await (const client of clientsAcross(session.api, { clients: ids, limiter, signal }))
    found.set(client.id, client)
  return found
}

function rowOf(
  { id, client: named, connection }: Chosen,
  client: Client | undefined,
  linked: Linked | undefined,
  skipped: SkipReason | undefined,
  means: LinkMeans,
): LinkRow {
  const { outcome = 'skipped', link, movedTo, error } = linked ?? {}
  const report =
    error === undefined ? undefined : describeFailure(error, { ...means.failureContext, args: { id } })
  const moved =
    movedTo === undefined ? null : `served by ${movedTo} now: the link adds a new Connection with new ids`
  const why = skipped?.hint === undefined ? skipped?.message : `${skipped.message}; ${skipped.hint}`
  return {
    connection_id: id,
    client_id: client?.id ?? named?.id ?? null,
    client_external_id: client?.external_id ?? null,
    institution_name: connection?.institution?.name ?? null,
    outcome,
    expires_at: link?.action.expires_at ?? null,
    code: report?.code ?? null,
    message: report?.message ?? why ?? moved,
  }
}
