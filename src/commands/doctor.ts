import { Flags } from '@oclif/core'
import { ApiCommand } from '../cli/command/api-command.ts'
import type { View } from '../output/view.ts'
import type { CheckStatus, Finding } from './_doctor.ts'
import { examine } from './_doctor.ts'
import { checkUpdates } from './_updates.ts'

interface Diagnosis {
  readonly checks: readonly Finding[]
  /** 0, or the exit code of the first check that failed: later failures may follow from it. */
  readonly exit_code: number
}

export default class Doctor extends ApiCommand<typeof Doctor, Diagnosis> {
  static override summary = 'Check this machine, the settings, the way to the service, and the key'
  static override description =
    'Each line is a check: ✓ good, ! worth a look, ✗ in the way, - not checked. Nothing is changed, and no secret is shown. ' +
    'Exit code 0 when nothing is in the way, else that of the first ✗, as another command would end with it: 2 settings, ' +
    '3 no key or an unknown one, 11 the service cannot be reached, 12 a clock so wrong that no signature verifies.'
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --env live --json',
    '<%= config.bin %> doctor --updates',
  ]
  static override flags = {
    updates: Flags.boolean({
      summary: 'Ask the npm registry, too, whether there is a newer version; bankapi never asks by itself',
    }),
  }

  /** Opens no session: unreadable settings are the result of a check here. */
  protected override async prepare(): Promise<void> {}

  protected override async execute(): Promise<Diagnosis> {
    const { machine, signal } = this
    const checks = await Array.fromAsync(
      examine({ machine, signal, nodeVersion: process.version, open: () => this.openSession() }),
    )
    if (this.flags.updates) checks.push(await checkUpdates({ machine, program: this.config, signal }))
    const exit_code = checks.find(({ status }) => status === 'failed')?.exit_code ?? 0
    process.exitCode = exit_code
    return { checks, exit_code }
  }

  protected override view({ checks }: Diagnosis, out: View): string {
    const mark: Record<CheckStatus, string> = {
      ok: out.good('✓'),
      warning: out.warn('!'),
      failed: out.bad('✗'),
      skipped: out.dim('-'),
    }
    return checks
      .flatMap(({ name, status, message, hint }) => [
        `${mark[status]} ${out.bold(name.replace('_', ' ').padEnd(9))} ${out.text(message)}`,
        ...(hint === null ? [] : hint.split('\n').map((line) => `${' '.repeat(12)}${out.text(line)}`)),
      ])
      .join('\n')
  }
}
