/** Verifies a delivery's signature, and explains a refusal. */
import { type DiagnoseWebhook, diagnoseWebhook } from '../signing/diagnose.ts'
import { nodeHmacMatches } from '../signing/node-hmac.ts'
import { verifyWebhook } from '../signing/webhook.ts'
import type { ListenerOptions } from './options.ts'

export interface Verification {
  verified: boolean
  reason: string | undefined
  /** For the user of this machine. It would tell the sender which secrets exist here. */
  detail: string | undefined
}

type VerifierOptions = Pick<ListenerOptions, 'secrets' | 'knownSecrets' | 'clock'>

/** Run at the same time: a flood of bad deliveries must not delay the good ones. */
const MAX_DIAGNOSES = 4

export function createVerifier({ secrets, knownSecrets, clock }: VerifierOptions) {
  let diagnoses = 0

  async function explain(delivery: DiagnoseWebhook): Promise<string | undefined> {
    if (diagnoses >= MAX_DIAGNOSES) return undefined
    diagnoses++
    try {
      const known = (await knownSecrets?.()) ?? []
      return (await diagnoseWebhook({ ...delivery, known })).sentence
    } catch {
      // When the keychain does not answer, the detail of the verification is all there is.
      return undefined
    } finally {
      diagnoses--
    }
  }

  /** Secrets that cannot be read are a reason of their own, which makes the service try again. */
  return async (
    headers: Readonly<Record<string, string | string[] | undefined>>,
    body: Uint8Array,
  ): Promise<Verification> => {
    let accepted: readonly string[]
    try {
      accepted = await secrets()
    } catch (error) {
      return { verified: false, reason: 'secrets_unavailable', detail: (error as Error).message }
    }
    const delivery = { secrets: accepted, headers, body, now: clock.now() / 1000 }
    const verdict = await verifyWebhook({ ...delivery, matches: nodeHmacMatches })
    if (verdict.verified) return { verified: true, reason: undefined, detail: undefined }
    return { verified: false, reason: verdict.reason, detail: (await explain(delivery)) ?? verdict.detail }
  }
}
