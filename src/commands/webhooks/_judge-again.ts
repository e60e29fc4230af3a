/** Verifies the stored bytes of a delivery that was refused, and stores the verdict. */
import type { Delivery } from '../../inbox/delivery-rows.ts'
import type { Deliveries } from '../../inbox/inbox.ts'
import type { KnownSecret } from '../../signing/diagnose.ts'

export interface Judgement {
  readonly verified: boolean
  /** `verified`, `body_not_kept`, or what `webhooks verify` finds: `body_changed`, `other_secret`, … */
  readonly finding: string
  readonly message: string
}

export interface JudgingSecrets {
  readonly secrets: readonly string[]
  /** They only explain. */
  readonly known: readonly KnownSecret[]
}

/** Judges the age as of when it was received. */
export async function judgeAgain(
  deliveries: Pick<Deliveries, 'markVerified' | 'explain'>,
  { id, headers, body, bodyBytes, receivedAt }: Delivery,
  { secrets, known }: JudgingSecrets,
): Promise<Judgement> {
  if (bodyBytes !== undefined) {
    const message = `Only the first ${body.byteLength} of its ${bodyBytes} bytes are kept: nothing can be verified over them.`
    return { verified: false, finding: 'body_not_kept', message }
  }
  const [{ diagnoseWebhook }, { verifyWebhook }] = await Promise.all([
    import('../../signing/diagnose.ts'),
    import('../../signing/webhook.ts'),
  ])
  const delivery = { secrets, headers: byName(headers), body, now: receivedAt / 1000 }
  const verdict = await verifyWebhook(delivery)
  const { kind: finding, sentence: message } = await diagnoseWebhook({ ...delivery, known })
  if (verdict.verified) await deliveries.markVerified(id)
  else await deliveries.explain(id, verdict.reason, message)
  return { verified: verdict.verified, finding, message }
}

function byName(headers: Delivery['headers']): Record<string, string[]> {
  const values: Record<string, string[]> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    values[key] = [...(values[key] ?? []), value]
  }
  return values
}
