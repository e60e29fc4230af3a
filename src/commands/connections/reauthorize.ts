import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import type { Columns } from '../../cli/command/base-command.ts'
import { type BulkDocument, bulkFlags, isBulk, manyFlags } from '../../cli/command/bulk.ts'
import { BulkRun } from '../../cli/command/bulk-run.ts'
import { connectionArgs, yesFlag } from '../../cli/command/flags.ts'
import { LeftFile } from '../../cli/command/left-file.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { openInBrowser } from '../../cli/terminal/open-in-browser.ts'
import type { Reauthorization } from '../../contract/connections.ts'
import { FileError } from '../../machine/private-folder.ts'
import type { View } from '../../output/view.ts'
import { reauthorize } from '../../workflows/reauthorize.ts'
import { KnownLinks, type SkipReason } from './_known-links.ts'
import { type LinkRow, linkRowFields, linkRowKeys, makeLinks } from './_make-links.ts'
import { reauthorizeLinks } from './_reauthorize-links.ts'

function linkExists(id: string, { message }: SkipReason): UsageError {
  return new UsageError(`No second link is made for ${id}: ${message}`, {
    code: 'link_exists',
    hint: 'Use that one, or make another with --new',
  })
}

type Result = Reauthorization | BulkDocument<LinkRow>

export default class ConnectionsReauthorize extends ApiCommand<typeof ConnectionsReauthorize, Result> {
  static override summary = 'Make a link for the user to repair a Connection or to share more accounts'
  static override description =
    'The link is a reusable credential, valid about six days: hand it over on a channel fit for secrets. While it is ' +
    'valid this command returns it again instead of a second one, unless --new. Completed sessions can share accounts ' +
    'whose statement history is billed, so a new link is asked about first, and the call is never repeated. ' +
    'The outcome arrives as a connection.active or connection.failed webhook.\n' +
    'To make many links, name several ids or use --stdin, and give the file for the links with --to. A single id needs --to ' +
    'as well when it is given with --left, --keep-going, --concurrency or --where. Links are made for Connections that their ' +
    'user can repair (`requires_action`); the others are skipped, with the reason. The command asks once, with the number of ' +
    'links. The file is a CSV for a mail merge that only you can read: client, external id, e-mail, name, Connection, bank, ' +
    'link, expiry. The links are never shown on the screen, and the rows on stdout are without them.\n' +
    'While a link is valid it is written again instead of a second one. Its Connection is skipped where only an earlier file ' +
    'has the link, or where a link may have been made although the answer was lost. With --new a second link is made, and ' +
    'the question says for how many.'
  static override examples = [
    '<%= config.bin %> connections reauthorize con_FDE_123',
    '<%= config.bin %> connections reauthorize con_FDE_123 --new --yes --open',
    '<%= config.bin %> connections reauthorize con_AGGREGATOR_A_1001 con_AGGREGATOR_B_2001 --to links.csv',
    '<%= config.bin %> connections triage --jq \'.data[] | select(.who_can_act == "user") | .connection_id\' | <%= config.bin %> connections reauthorize --stdin --to links.csv --yes',
  ]
  static override args = { id: connectionArgs() }
  static override flags = {
    new: Flags.boolean({ summary: 'Make a new link even while an earlier one is valid' }),
    open: Flags.boolean({ summary: 'Open the link in the browser' }),
    to: Flags.string({
      summary: 'Of many: the CSV file that takes the links; it must not be there yet',
      helpValue: 'FILE',
      exclusive: ['open'],
    }),
    ...bulkFlags,
    yes: yesFlag,
  }

  #bulk: BulkRun | undefined

  protected override async execute(): Promise<Result> {
    const { stdin, to } = this.flags
    const [id, ...more] = this.args.id ?? []
    const isMany = more.length > 0 || stdin || to !== undefined || this.isGiven(...manyFlags)
    if (id !== undefined && !isMany) return this.#one(id)
    if (to === undefined) {
      const named = id !== undefined || stdin
      throw new UsageError(
        named ? 'Links of many are not shown on the screen: --to is missing' : 'Which Connection?',
        named
          ? { code: 'file_missing', hint: 'Name the file that takes them: --to links.csv' }
          : {
              code: 'connections_not_named',
              hint: 'Name one; or several, or --stdin, with --to links.csv. What needs its user: bankapi connections triage',
            },
      )
    }
    return this.#many(to)
  }

  async #one(id: string): Promise<Reauthorization> {
    const store = reauthorizeLinks(this.session, () =>
      this.warning(
        'no keychain answers, so this link is not remembered: keep it, and do not make a second one',
      ),
    )
    const { new: fresh } = this.flags
    const known = new KnownLinks(this.machine, this.session.environment.value)
    const result = await reauthorize(this.context, store, {
      connectionId: id,
      fresh,
      marks: {
        set: (one) => this.#mark(known, one),
        clear: (one) => known.clear(one),
      },
      confirm: () => {
        const link = fresh ? undefined : known.of(id)
        if (link !== undefined) throw linkExists(id, link)
        return this.confirm(`Make a link to reauthorize ${id}? Accounts shared through it may be billed.`)
      },
    })
    if (!result.reused) known.clear(id)
    const { action } = result.reauthorization
    if (result.reused) this.note('This link was made before and is still valid; --new makes another.')
    if (result.movedTo !== undefined) {
      this.warning(
        `this bank is served by ${result.movedTo} now: the link adds a new Connection with new ids, and ${id} stays as it is. ` +
          'After connection.active, list connections and accounts again.',
      )
    }
    if (this.flags.open) openInBrowser(action.reauth_url, this.machine, this.warning)
    return result.reauthorization
  }

  /** A folder that cannot be written to is no reason to make no link. */
  #mark(known: KnownLinks, id: string): void {
    try {
      known.set(id)
    } catch (error) {
      if (!(error instanceof FileError)) throw error
      this.warning(`it cannot be noted that a link is made: ${error.sentence}`)
    }
  }

  async #many(to: string): Promise<BulkDocument<LinkRow>> {
    const { stdin, where, concurrency, left } = this.flags
    const file = left === undefined ? undefined : new LeftFile(left)
    const progress = await this.createProgress()
    const bulk = new BulkRun(
      {
        progress,
        signal: this.signal,
        note: (sentence) => this.note(sentence),
        warning: this.warning,
        leaveWith: (name) => this.leaveWith(name),
      },
      file,
    )
    this.#bulk = bulk
    const { rows, skipped, end } = await makeLinks(
      {
        ids: this.args.id ?? [],
        stdin,
        where,
        concurrency,
        keepGoing: this.flags['keep-going'],
        fresh: this.flags.new,
        to,
        left: file,
      },
      {
        ...this.context,
        session: this.session,
        terminal: this.terminal,
        failureContext: this.failureContext,
        confirm: (question) => this.confirm(question),
        warning: this.warning,
        command: (...words) => this.command(...words),
        onProgress: bulk.onProgress,
      },
    ).finally(() => progress.stop())
    const document = bulk.end(rows, {
      ...end,
      skipped,
      aboutUnknown: 'A link may have been made for them, which nobody has; it is valid about six days.',
      // The file of the links is there by then.
      again: this.command('connections', 'reauthorize', '--stdin', '--to', 'more-links.csv'),
    })
    if (rows.some(({ outcome }) => outcome === 'made' || outcome === 'reused'))
      this.note(`The links are in ${to}: whoever reads it can use them.`)
    return document
  }

  protected override async columns(): Promise<Columns> {
    return this.#bulk === undefined ? super.columns() : { fields: linkRowFields as never, known: linkRowKeys }
  }

  protected override view(result: Result, out: View): string {
    return isBulk(result)
      ? out.table<LinkRow>(result.data, linkRowFields, linkRowKeys)
      : out.record(result as Reauthorization)
  }

  protected override async render(result: Result): Promise<void> {
    await super.render(result)
    this.#bulk?.tellEnd()
  }
}
