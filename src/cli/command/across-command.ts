/** The base class of lists that can cross Clients: their flags, and the rows in their context. */
import { type Command, Flags, type Interfaces } from '@oclif/core'
import type { Wait } from '../../api/options.ts'
import type { Account } from '../../contract/accounts.ts'
import type { Client } from '../../contract/clients.ts'
import type { Connection } from '../../contract/connections.ts'
import type { Page } from '../../contract/values.ts'
import type { BankapiError } from '../../errors.ts'
import { systemClock } from '../../machine/machine.ts'
import type { Field } from '../../output/fields.ts'
import type { AcrossOptions, Subject } from '../../workflows/across-clients.ts'
import { Limiter } from '../../workflows/limiter.ts'
import { type CommandContext, UsageError } from '../errors/errors.ts'
import type { Columns, FlagsOf } from './base-command.ts'
import { connectionFlag, listFlags, outputFlags, serviceFlags } from './flags.ts'
import { ListCommand } from './list-command.ts'

const helpGroup = 'ACROSS CLIENTS'
const several = { multiple: true, multipleNonGreedy: true } as const

export const acrossFlags = {
  client: Flags.string({
    summary:
      'Client (end-user) to act for, may be repeated; BANKAPI_CLIENT_ID and the settings give a default',
    helpValue: 'cli_…',
    ...several,
    helpGroup,
  }),
  'all-clients': Flags.boolean({ summary: 'Every Client', exclusive: ['client'], helpGroup }),
  connection: connectionFlag({
    summary: 'Only this Connection, con_<SOURCE>_<bankAccountId>; may be repeated',
    ...several,
    helpGroup,
  }),
  institution: Flags.string({
    summary: 'Only of this institution: its id, or a part of its name; may be repeated',
    helpValue: 'ins_…|NAME',
    ...several,
    helpGroup,
  }),
  'keep-going': Flags.boolean({
    summary: 'When a Client or an account fails, name it on stderr and read the others; exit 9 at the end',
    helpGroup,
  }),
  concurrency: Flags.integer({ summary: 'Requests at once', min: 1, max: 64, default: 8, helpGroup }),
}

/** A filter whose values are `options`. */
export function filterFlag<const Value extends string>(summary: string, options: readonly Value[]) {
  return Flags.option({ summary: `${summary}; may be repeated`, options, ...several, helpGroup })()
}

/** The columns that rows across Clients have beside their own. */
const contextKeys = [
  'client_id',
  'client_external_id',
  'connection_id',
  'institution_name',
  'account_id',
  'account_name',
] as const
export type ContextKey = (typeof contextKeys)[number]

/** The fields of them that tables show before those of the row itself. */
const contextFields: readonly Field[] = [
  { key: 'client_id', header: 'client', kind: 'id', priority: 8 },
  { key: 'client_external_id', header: 'external id', priority: 2 },
  { key: 'institution_name', header: 'institution', priority: 2 },
  { key: 'account_id', header: 'account', kind: 'id', priority: 5 },
  { key: 'account_name', header: 'account name', priority: 3 },
]

/** The row, with where it is from; what the row says itself stays. */
export function inContext<Row extends object>(
  row: Row,
  {
    client,
    connection,
    account,
  }: {
    readonly client: Client
    readonly connection: Connection | undefined
    readonly account?: Account
  },
): Row {
  const context = {
    client_id: client.id,
    client_external_id: client.external_id ?? null,
    connection_id: connection?.id ?? null,
    institution_name: connection?.institution?.name ?? null,
    ...(account === undefined ? {} : { account_id: account.id, account_name: account.name ?? null }),
  }
  const joined: Record<string, unknown> = { ...context, ...row }
  for (const [key, value] of Object.entries(context)) joined[key] ??= value
  return joined as Row
}

export abstract class AcrossCommand<T extends typeof Command, Item> extends ListCommand<T, Item> {
  static override baseFlags: Interfaces.FlagInput = {
    ...acrossFlags,
    ...listFlags,
    ...serviceFlags,
    ...outputFlags,
  }

  declare protected flags: FlagsOf<T, typeof serviceFlags & typeof listFlags & typeof acrossFlags>

  protected abstract readonly itemFields: readonly Field<Item>[]
  /** Whether this run crosses several lists of the service, so that each row says where it is from. */
  protected abstract get crosses(): boolean
  /** Of the fields of the context those that its tables show. */
  protected abstract readonly shownContext: readonly ContextKey[]

  #failing: Subject | undefined
  #failures = 0

  protected override get fields(): readonly Field<Item>[] {
    const context = contextFields.filter(({ key }) => this.shownContext.includes(key as ContextKey))
    return [...(this.crosses ? context : []), ...this.itemFields]
  }

  /** The one Client that the command is about; undefined when it is about several. */
  protected get oneClient(): string | undefined {
    const { client = [], 'all-clients': all } = this.flags
    const [first, ...others] = new Set(client)
    return all || others.length > 0 ? undefined : this.session.clientId(first, { orAll: true })
  }

  protected get ofConnection(): ((connection: Connection) => boolean) | undefined {
    const { institution: wanted } = this.flags
    if (wanted === undefined) return undefined
    const names = wanted.map((name) => name.toLowerCase())
    return ({ institution }) =>
      wanted.includes(institution.id) || names.some((name) => institution.name.toLowerCase().includes(name))
  }

  protected get acrossOptions(): AcrossOptions {
    if (this.flags.cursor !== undefined) {
      throw new UsageError('--cursor goes on with one list of the service: this one crosses several', {
        hint: 'Leave out --cursor',
      })
    }
    const { connection: connections, concurrency, 'keep-going': keepGoing } = this.flags
    const { oneClient, signal } = this
    const { client, 'all-clients': all } = this.flags
    const onHold = (ms: number) => this.note(`Rate limited: going on in ${Math.ceil(ms / 1000)} s`)
    const limiter = new Limiter({ clock: systemClock, concurrency, onHold })
    this.onWait = ({ reason, delayMs }) => {
      if (reason === 'rate_limited') void limiter.hold(delayMs)
    }
    return {
      clients: all ? undefined : oneClient === undefined ? client : [oneClient],
      connections,
      limiter,
      signal,
      keepGoing,
      onFailure: (subject, error) => this.#tellFailure(subject, error),
      onGone: (subject) => this.note(goneSentence(subject)),
    }
  }

  /** A 429 holds all requests, which the limiter tells once. */
  protected override tellWait(wait: Wait): void {
    if (!this.crosses || wait.reason !== 'rate_limited') super.tellWait(wait)
  }

  protected override async columns(): Promise<Columns> {
    // Without parsed flags the columns of either kind of list are asked for.
    const crosses = this.flags === undefined || this.crosses
    return {
      fields: (crosses ? [...contextFields, ...this.itemFields] : this.itemFields) as readonly Field<never>[],
      known: crosses ? [...contextKeys, ...this.known] : this.known,
    }
  }

  protected override async render(page: Page<Item> | undefined): Promise<void> {
    await super.render(page)
    if (this.#failures === 0) return
    this.note(`Not whole: ${this.#failures} could not be read, named above`)
    this.leaveWith('operationFailed')
  }

  protected override get failureContext(): CommandContext {
    const context = super.failureContext
    if (this.#failing === undefined) return context
    const { client, account } = this.#failing
    return {
      ...context,
      flags: { ...context.flags, client: client.id, connection: undefined, institution: undefined },
      args: account === undefined ? {} : { account: account.id },
    }
  }

  #tellFailure(subject: Subject, error: BankapiError): void {
    this.#failing = subject
    this.#failures += 1
    const name = nameOf(subject)
    if (this.flags['keep-going']) this.note(`${name} could not be read: ${error.sentence} (${error.code})`)
    // The error itself names a Client that is the only one.
    else if (subject.account !== undefined || this.oneClient === undefined)
      this.note(`${name} could not be read; --keep-going reads the others`)
  }
}

export function goneSentence(subject: Subject): string {
  return `${nameOf(subject)} is gone since it was listed`
}

function nameOf({ client, account }: Subject): string {
  return account === undefined ? client.id : `${account.id} of ${client.id}`
}
