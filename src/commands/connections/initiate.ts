import { Flags } from '@oclif/core'
import { clientFlag, DEFAULT_TIMEOUT_MS, redirectUrlFlag, waitFlags } from '../../cli/command/flags.ts'
import { OperationCommand } from '../../cli/command/operation-command.ts'
import { openInBrowser } from '../../cli/terminal/open-in-browser.ts'
import type { Connection, ConnectionResult } from '../../contract/connections.ts'
import type { Operation } from '../../contract/operations.ts'
import type { OperationAccepted } from '../../contract/shapes.ts'
import { connectionFields, operationFields } from '../../output/resources.ts'
import { safeText } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'
import { linkBank, widgetUrlOf } from '../../workflows/link-bank.ts'

type Initiated = OperationAccepted | Operation | Connection

export default class ConnectionsInitiate extends OperationCommand<typeof ConnectionsInitiate, Initiated> {
  static override summary = "Start linking a Client's bank, and print the widget URL to open"
  static override description =
    'The service picks the source for the institution. With --wait the widget URL is printed as soon as it is issued; ' +
    'the operation being succeeded does not mean that the bank is linked. --until-active also waits until the user ' +
    'has finished the widget, and prints the Connection with its canonical id; it ends at once, with exit code 9, when the ' +
    'new Connection has failed, is disconnected or needs the user again. A link that fails before it was ever active is ' +
    'shown by no read of the service, only by its event: it ends the wait at once where `webhooks listen` runs. ' +
    'Each call starts a link of its own: it is not repeated after an unclear failure.'
  static override examples = [
    '<%= config.bin %> connections initiate --client cli_demo --institution ins_a_ok --wait',
    '<%= config.bin %> connections initiate --client cli_demo --institution ins_a_ok --until-active --open',
    '<%= config.bin %> connections initiate --client cli_demo --institution ins_a_ok --wait --jq .result.connection.action.widget_url',
  ]
  static override flags = {
    client: clientFlag,
    institution: Flags.string({ summary: 'Institution to link', helpValue: 'ins_…', required: true }),
    'redirect-url': redirectUrlFlag(),
    ...waitFlags,
    'until-active': Flags.boolean({
      summary: 'Wait until the user has finished and the Connection is active',
    }),
    open: Flags.boolean({ summary: 'Open the widget URL in the browser; implies --wait' }),
  }

  protected override async execute(): Promise<Initiated> {
    const {
      institution,
      'redirect-url': redirectUrl,
      wait,
      open,
      timeout,
      'until-active': untilActive,
    } = this.flags
    const clientId = this.clientId
    if (!wait && !open && !untilActive) {
      const accepted = await this.api.connections.initiate(
        { client_id: clientId, institution_id: institution, redirect_url: redirectUrl },
        { signal: this.signal },
      )
      await this.started(accepted, 'connection.initiate', clientId)
      return accepted
    }
    let shown = false
    const { machine, journal } = this
    const since = machine.now()
    const result = await linkBank(
      {
        ...this.context,
        onProgress: ({ step, elapsedMs, widgetUrl }) => {
          if (widgetUrl !== undefined && !shown) {
            shown = true
            this.#offer(widgetUrl, open)
          }
          this.progress.update(`${step.replaceAll('-', ' ')} ${Math.floor(elapsedMs / 1000)} s`)
        },
      },
      {
        clientId,
        institutionId: institution,
        redirectUrl,
        timeoutMs: timeout ?? DEFAULT_TIMEOUT_MS,
        untilActive,
        stateInEvents: (placeholderId) => journal.connectionInEvents(placeholderId, since),
        onAccepted: (accepted) => this.started(accepted, 'connection.initiate', clientId),
      },
    )
    await this.journal.seen(result.operation)
    if (open && !shown && result.widgetUrl !== undefined) this.#offer(result.widgetUrl, true)
    return result.connection ?? result.operation
  }

  protected override view(initiated: Initiated, out: View): string {
    if ('institution' in initiated) return out.record(initiated as Connection, connectionFields)
    const url = 'result' in initiated ? widgetUrlOf(initiated as Operation) : undefined
    if (url === undefined) return super.view(initiated, out)
    const operation = initiated as Operation
    return out.record(operation, [
      ...operationFields,
      // A placeholder until the user has finished; `emulator link` takes it.
      { key: 'connection', kind: 'id', get: ({ result }) => (result as ConnectionResult).connection.id },
      { key: 'widget_url', header: 'widget url', get: () => url },
    ])
  }

  /** Writes the address to stderr at once, because the user needs it while the command waits. */
  #offer(widgetUrl: string, open: boolean): void {
    this.progress.line(`Open this to link the bank: ${safeText(widgetUrl)}`)
    if (open) openInBrowser(widgetUrl, this.machine, this.warning)
  }
}
