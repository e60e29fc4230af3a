import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { idsArg } from '../../cli/command/flags.ts'
import { openInboxOf } from '../../cli/command/inbox.ts'
import { InterruptedError } from '../../cli/errors/errors.ts'
import type { Operation } from '../../contract/operations.ts'
import type { Inbox } from '../../inbox/inbox.ts'
import { renderDocument } from '../../output/document.ts'
import { safeJson } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'
import { followOperations } from '../../workflows/follow-operations.ts'

export default class OperationsTail extends ApiCommand<typeof OperationsTail, void> {
  static override summary = 'Follow operations until they are done: a line for each change'
  static override description =
    'Without ids: those of this machine that were not done when last seen, and those started meanwhile. --json prints ' +
    'the operation as the API spells it, one per line. Exit code 0 when all succeeded, 9 when one failed, 5 when one that ' +
    'was asked for is not there, 130 after Ctrl-C, which stops the looking and not the operations.'
  static override examples = [
    '<%= config.bin %> operations tail',
    '<%= config.bin %> operations tail --tui',
    '<%= config.bin %> operations tail op_1 op_2 --jq \'select(.status == "failed") | .error.code\'',
  ]
  static override args = {
    operations: idsArg({ summary: 'Operations, op_<id> (default: those under way)', prefix: 'op_' }),
  }

  static override flags = {
    tui: Flags.boolean({ summary: 'Watch on the screen instead of as lines' }),
  }

  protected override async execute(): Promise<void> {
    const asked = this.args.operations ?? []
    const environment = this.session.environment.value
    const inbox = await openInboxOf(this.session)
    try {
      if (this.flags.tui) return await this.#onScreen(inbox, asked)
      const underWay = async () => {
        if (asked.length > 0) return asked
        return (await inbox.operations.list({ environment, status: 'queued' })).map(({ id }) => id)
      }
      if ((await underWay()).length === 0)
        this.note(`No operation of ${environment} is under way in the inbox.`)
      let failed = false
      const gone: string[] = []
      this.#sayHowToResume()
      for await (const followed of followOperations(this.context, underWay)) {
        if (followed.kind === 'gone') {
          gone.push(followed.id)
          continue
        }
        const { operation } = followed
        failed ||= operation.status === 'failed'
        await this.journal.seen(operation)
        await this.#show(operation, (await inbox.operations.get(environment, operation.id))?.subject)
      }
      if (gone.length > 0) this.warning(`the service does not know ${gone.join(', ')}`)
      if (failed) this.leaveWith('operationFailed')
      else if (gone.length > 0 && asked.length > 0) this.leaveWith('notFound')
    } finally {
      await inbox.close()
    }
  }

  async #onScreen(inbox: Inbox, operationIds: readonly string[]): Promise<void> {
    const { session, terminal, signal } = this
    const { openScreen } = await import('../_screen.ts')
    await openScreen({
      ...{ session, terminal, signal, inbox, operationIds, focusedList: 'operations' as const },
      utc: this.utc,
      json: this.format !== undefined,
      warn: this.warning,
    })
  }

  async #show(operation: Operation, subject: string | undefined): Promise<void> {
    const { stdout } = this.terminal
    const { jq } = this.flags
    if (jq !== undefined) {
      stdout.write(await renderDocument(operation, { format: 'json', jq, terminal: Boolean(stdout.isTTY) }))
    } else if (this.format !== undefined) {
      stdout.write(`${safeJson(operation)}\n`)
    } else {
      const lines = await this.#linesOf(operation, subject, await this.createView())
      stdout.write(`${lines.join('\n')}\n`)
    }
  }

  async #linesOf(operation: Operation, subject: string | undefined, out: View): Promise<string[]> {
    const { completed_at, created_at, status, type, id, error } = operation
    const time = out.time(completed_at ?? created_at)
    if (!out.tty) {
      const words = [out.dim(time), out.status(status), out.text(type), out.text(id), out.text(subject ?? '')]
      return [[...words, out.text(error?.code ?? '')].filter((word) => word !== '').join('  ')]
    }
    const { operationLines } = await import('../../output/operation-line.ts')
    const took = Date.parse(completed_at ?? '') - Date.parse(created_at)
    const facts = { ...{ id, type, status, subject }, tookMs: Number.isNaN(took) ? undefined : took }
    const lines = operationLines({ ...facts, error: error ?? undefined }, time.slice(11, 19), out.width)
    return lines.map((pieces) => out.line(pieces))
  }

  #sayHowToResume(): void {
    this.signal.addEventListener('abort', () => {
      const { reason } = this.signal
      if (reason instanceof InterruptedError) reason.hint = 'The operations go on: bankapi operations tail'
    })
  }
}
