import { existsSync } from 'node:fs'
import { Flags } from '@oclif/core'
import { idArg, yesFlag } from '../../cli/command/flags.ts'
import { openInboxOf } from '../../cli/command/inbox.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import type { View } from '../../output/view.ts'
import { MirrorCommand, mirrorFlags } from './_mirror-command.ts'

interface Forgotten {
  readonly client_id: string
  readonly forgotten: true
  /** Rows of the mirror. */
  readonly rows: number
  /** Files that were deleted. */
  readonly files: number
  /** Deliveries in the inbox whose bodies were erased. */
  readonly deliveries: number
}

export default class SyncForget extends MirrorCommand<typeof SyncForget, Forgotten> {
  static override summary =
    'Erase a Client from the mirror, its files, and the bodies of its deliveries in the inbox'
  static override description =
    'Deletes every row of the Client, the files that were downloaded with --files, and in the inbox of this machine the bodies ' +
    'of the deliveries that name it. The shell completes no ids of this environment until commands have read some again. It is not imported again. At the service nothing changes. Refused while a sync runs.'
  static override examples = [
    '<%= config.bin %> sync forget cli_demo',
    '<%= config.bin %> sync forget cli_demo --files ./statements --yes',
  ]
  static override args = { client: idArg({ summary: 'Client, cli_<id>', prefix: 'cli_' }) }
  static override flags = {
    ...mirrorFlags,
    files: Flags.string({
      summary: 'The folder of `sync --files`, to erase what it has of the Client',
      helpValue: 'DIR',
    }),
    'accept-missing': Flags.boolean({
      summary: 'Erase the Client even when files that were downloaded are no longer in --files DIR',
      dependsOn: ['files'],
    }),
    yes: yesFlag,
  }

  protected override async execute(): Promise<Forgotten> {
    const { client: clientId } = this.args
    const { files: folder, 'accept-missing': acceptMissing } = this.flags
    const [{ assertMark }, { missingFile }, { assertKnown, fenceClient, forgetClient, heldOf }] =
      await Promise.all([
        import('../../sync/mirror/open.ts'),
        import('../../sync/files.ts'),
        import('../../sync/forget.ts'),
      ])
    const mirror = await this.openMirror({ mustExist: true })
    const { environment, baseUrl } = this.session
    const claim = await mirror.claim()
    try {
      await assertMark(mirror, { environment: environment.value, baseUrl: baseUrl.value })
      const held = await heldOf(mirror, clientId)
      assertKnown(mirror, clientId, held)
      if (held.files > 0 && folder === undefined) {
        throw new UsageError(`${held.files} files of ${clientId} were downloaded with --files`, {
          code: 'files_missing',
          hint: 'Name their folder, so that they are erased, too: --files DIR',
        })
      }
      if (folder !== undefined && !existsSync(folder)) {
        throw new UsageError(`There is no folder ${folder}`, { code: 'files_missing' })
      }
      if (folder !== undefined && !acceptMissing) {
        const missing = await missingFile(mirror, clientId, folder)
        if (missing !== undefined) {
          throw new UsageError(`${missing} was downloaded and is not there`, {
            code: 'files_missing',
            hint: 'Nothing was erased. Name the folder of sync --files; if the file is gone already: --accept-missing',
          })
        }
      }
      await this.confirm(
        `Erase ${held.rows} rows and ${held.files} files of ${clientId}, and the bodies of its deliveries? This cannot be undone.`,
      )
      claim.lost.throwIfAborted()
      await fenceClient(mirror, { clientId, now: this.machine.now() })
      // Nothing is added any more.
      const { ids } = await heldOf(mirror, clientId)
      const inbox = await openInboxOf(this.session)
      let deliveries: number
      try {
        await inbox.operations.erase(environment.value, ids)
        deliveries = await inbox.deliveries.erase(environment.value, ids)
        // Whose Connections, Accounts and Operations these are is not kept; the others come back with the next list.
        this.session.knownIds.forget()
      } finally {
        await inbox.close()
      }
      const { files } = await forgetClient(mirror, { clientId, folder, now: this.machine.now() })
      return { client_id: clientId, forgotten: true, rows: held.rows, files, deliveries }
    } finally {
      claim.release()
    }
  }

  protected override view({ client_id, rows, files, deliveries }: Forgotten, out: View): string {
    return `Erased ${out.text(client_id)}: ${rows} rows, ${files} files, the bodies of ${deliveries} deliveries`
  }
}
