/** The base class of lists of what accounts have: of one account, or of every account of one or more Clients. */
import type { Command, Interfaces } from '@oclif/core'
import type { CallOptions } from '../../api/options.ts'
import { type Account, accountTypes } from '../../contract/accounts.ts'
import { sources } from '../../contract/shapes.ts'
import type { Page } from '../../contract/values.ts'
import { type AccountInContext, rowsAcross } from '../../workflows/across-clients.ts'
import { UsageError } from '../errors/errors.ts'
import { AcrossCommand, type acrossFlags, filterFlag, inContext } from './across-command.ts'
import type { FlagsOf } from './base-command.ts'
import { type listFlags, optionalIdArg, type serviceFlags } from './flags.ts'
import type { ListSource, RowSource } from './list-command.ts'
import { PageWalk, type Paging } from './list-walk.ts'

const filters = {
  source: filterFlag('Only accounts of this source', sources),
  type: filterFlag('Only accounts of this type', accountTypes),
}

/** The argument of these commands. oclif reads `args` of the command's own class only. */
export const accountArgs = {
  account: optionalIdArg({
    summary: 'Account, acc_<SOURCE>_<id>; without it every account of the Clients',
    prefix: 'acc_',
  }),
}

/** Reads a page of one account's list. */
export type AccountPage<Item> = (
  query: { readonly account_id: string; readonly client_id: string } & Paging,
  options: CallOptions,
) => Promise<Page<Item>>

/** Reads what accounts list: `Listed`. What the command shows of it may be something else: `Item`. */
export abstract class AccountPagesCommand<
  T extends typeof Command,
  Item extends object,
  Listed extends object,
> extends AcrossCommand<T, Item> {
  static override baseFlags: Interfaces.FlagInput = { ...AcrossCommand.baseFlags, ...filters }

  declare protected flags: FlagsOf<
    T,
    typeof serviceFlags & typeof listFlags & typeof acrossFlags & typeof filters
  >

  protected abstract readonly page: AccountPage<Listed>
  /** The note on stderr when one account, or all that were read, have none. */
  protected abstract none(account: string | undefined): string
  /** Whether the service has such a list of the account. */
  protected lists(_account: Account): boolean {
    return true
  }

  /** The account that was named. */
  protected get account(): string | undefined {
    return (this.args as { readonly account?: string }).account
  }

  protected override get crosses(): boolean {
    return this.account === undefined
  }

  /** Pages of the account that was named. */
  protected pageOf(account: string): (paging: Paging) => Promise<Page<Listed>> {
    const owner = { account_id: account, client_id: this.#onlyClient(account) }
    const { signal } = this
    return (paging) => this.page({ ...owner, ...paging }, { signal })
  }

  /** The pages of every account, of each so many rows at most. */
  protected pagesAcross(
    most: { readonly limit?: number } = {},
  ): AsyncGenerator<{ readonly of: AccountInContext; readonly rows: readonly Listed[] }> {
    const { ofConnection } = this
    const { source, type } = this.flags
    const accept = (account: Account) =>
      (source?.includes(account.source) ?? true) &&
      (type?.includes(account.type) ?? true) &&
      this.lists(account)
    const { page } = this
    return rowsAcross(this.api, this.acrossOptions, { ofConnection, accept }, async function* (of, call) {
      const owner = { account_id: of.account.id, client_id: of.client.id }
      const walk = new PageWalk((paging) => call((options) => page({ ...owner, ...paging }, options)), most)
      for await (const rows of walk.batches()) yield { of, rows }
    })
  }

  /** @throws UsageError for a flag that chooses among accounts, as one is named already. */
  #onlyClient(account: string): string {
    const choosing = ['all-clients', 'connection', 'institution', 'source', 'type'] as const
    const given = choosing.find((name) => this.flags[name] !== undefined && this.flags[name] !== false)
    const client = this.oneClient
    if (given === undefined && client !== undefined) return client
    throw new UsageError(
      `${account} is one account of one Client: it does not go with ${given === undefined ? 'several --client' : `--${given}`}`,
      { hint: 'Leave out the account to list several' },
    )
  }
}

/** Shows what the accounts list. */
export abstract class AccountRowsCommand<
  T extends typeof Command,
  Item extends object,
> extends AccountPagesCommand<T, Item, Item> {
  protected override readonly shownContext = ['client_id', 'account_id', 'account_name'] as const

  protected override source(): ListSource<Item> | RowSource<Item> {
    const { account } = this
    return account === undefined
      ? { rows: () => this.#rows(), none: this.none(undefined) }
      : { page: this.pageOf(account), none: this.none(account) }
  }

  async *#rows(): AsyncGenerator<readonly Item[]> {
    const { limit } = this.flags
    // One more than are wanted: they tell that there are more.
    const pages = this.pagesAcross(limit === undefined ? {} : { limit: limit + 1 })
    // When it is its turn: a page that waits for it is smaller without the context.
    for await (const { of, rows } of pages) yield rows.map((row) => inContext(row, of))
  }
}
