/** Reads the signing secret that the user names: on stdin, in the environment, or stored for a subscription. */
import { Flags } from '@oclif/core'
import type { Session } from '../../cli/command/session.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { readSecret } from '../../cli/terminal/input.ts'
import type { Terminal } from '../../cli/terminal/terminal.ts'
import { variable } from '../../machine/machine.ts'

/** On commands that verify or sign. */
export const secretFlags = {
  subscription: Flags.string({
    summary: 'Subscription whose stored signing secret counts',
    helpValue: 'whk_…',
  }),
  'secret-stdin': Flags.boolean({ summary: 'Read the signing secret from stdin' }),
}

export interface SecretFlags {
  readonly subscription?: string | undefined
  readonly 'secret-stdin'?: boolean | undefined
}

/** Whether the user named a secret. */
export function namesSecret(session: Session, flags: SecretFlags): boolean {
  return (
    flags['secret-stdin'] === true ||
    flags.subscription !== undefined ||
    variable(session.machine, 'BANKAPI_WEBHOOK_SECRET') !== undefined
  )
}

/**
 * The valid secrets, the one to sign with first: `--secret-stdin`, else BANKAPI_WEBHOOK_SECRET, else the stored one of
 * `--subscription`, and for 24 hours after a rotation also the old one.
 * @throws UsageError when none is named, and the errors of reading it.
 */
export async function namedSecrets(
  session: Session,
  terminal: Terminal,
  flags: SecretFlags,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (flags['secret-stdin']) {
    const question = 'Signing secret:'
    return [await readSecret(terminal, { question, fromStdin: true, flag: '--secret-stdin', signal })]
  }
  if (namesSecret(session, flags)) return session.signingSecrets.valid(flags.subscription)
  throw new UsageError('Which signing secret? None was named', {
    code: 'secret_missing',
    hint: 'Give --subscription whk_… (its secret is stored here), --secret-stdin or BANKAPI_WEBHOOK_SECRET',
  })
}
