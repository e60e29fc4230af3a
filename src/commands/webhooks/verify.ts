import { Flags } from '@oclif/core'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { sinceFlag } from '../../cli/command/flags.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { inputBytes } from '../../cli/terminal/input.ts'
import type { View } from '../../output/view.ts'
import { namedSecrets, secretFlags } from './_signing-secret.ts'

interface SignatureCheck {
  readonly verified: boolean
  /** `verified`, `body_changed`, `other_secret`, … */
  readonly finding: string
  readonly message: string
  /** Seconds; of a verified delivery only. */
  readonly age_seconds?: number
  /** The header whose signature matched. */
  readonly matched?: 'signature' | 'signature_prev'
}

export default class WebhooksVerify extends ApiCommand<typeof WebhooksVerify, SignatureCheck> {
  static override summary = "Check a delivery's signature, and say why it does not match"
  static override description =
    'The signature covers the timestamp, a dot, and the exact bytes of the body: give those, not JSON that was parsed and ' +
    'written again. What does not verify is explained as the listener does; the other signing secrets stored on this ' +
    'machine help to explain and never make it verify. Sends nothing. Exit code 0 when it verifies, 12 when not.'
  static override examples = [
    '<%= config.bin %> webhooks verify --subscription whk_0a1b --timestamp 1790000000 --signature 5f3a… < body.json',
    'printf %s "$SECRET" | <%= config.bin %> webhooks verify --secret-stdin --timestamp 1790000000 --signature 5f3a… --body body.json',
  ]
  static override flags = {
    timestamp: Flags.string({ summary: 'Value of X-LS-Webhook-Timestamp' }),
    signature: Flags.string({ summary: 'Value of X-LS-Webhook-Signature' }),
    'signature-prev': Flags.string({ summary: 'Value of X-LS-Webhook-Signature-Prev' }),
    body: Flags.string({
      summary: 'File with the exact bytes of the body (default: stdin)',
      helpValue: 'FILE',
    }),
    now: sinceFlag({ summary: 'Judge the age as of then: Unix seconds, a timestamp or an age such as 5m' }),
    ...secretFlags,
  }

  protected override async execute(): Promise<SignatureCheck> {
    const { flags, session } = this
    const { body: file = '-' } = flags
    if (flags['secret-stdin'] && file === '-') {
      throw new UsageError('--secret-stdin takes stdin, so the body has to come from --body FILE', {
        code: 'body_missing',
      })
    }
    const now = (flags.now ?? this.machine.now()) / 1000
    const secrets = await namedSecrets(session, this.terminal, flags, this.signal)
    const [{ diagnoseWebhook }, body, known] = await Promise.all([
      import('../../signing/diagnose.ts'),
      inputBytes(file, this.terminal.stdin),
      session.signingSecrets.known(),
    ])
    const { timestamp, signature, 'signature-prev': signaturePrev } = flags
    const given = { timestamp, signature, signaturePrev }
    const diagnosis = await diagnoseWebhook({ secrets, ...given, body, now, known })
    if (diagnosis.kind !== 'verified') {
      this.leaveWith('notVerified')
      return { verified: false, finding: diagnosis.kind, message: diagnosis.sentence }
    }
    const { ageSeconds, header } = diagnosis.verdict
    return {
      verified: true,
      finding: 'verified',
      message: diagnosis.sentence,
      age_seconds: Math.floor(ageSeconds),
      matched: header === 'signature' ? 'signature' : 'signature_prev',
    }
  }

  protected override view({ verified, message, matched }: SignatureCheck, out: View): string {
    if (!verified) return out.bad(message)
    return out.good(matched === 'signature' ? message : `${message} It matched X-LS-Webhook-Signature-Prev.`)
  }
}
