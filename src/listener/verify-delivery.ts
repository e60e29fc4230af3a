/** Verifies a delivery's signature, and says how a refusal is explained. */
import { type DiagnoseWebhook, diagnoseWebhook } from '../signing/diagnose.ts'
import { nodeHmacMatches } from '../signing/node-hmac.ts'
import { type NotVerified, verifyWebhook } from '../signing/webhook.ts'
import type { Explainer } from './explainer.ts'
import type { ListenerOptions } from './options.ts'

export interface Verification {
  verified: boolean
  reason: string | undefined
  /** For the user of this machine. It would tell the sender which secrets exist here. */
  detail: string | undefined
  /** Finds a better detail, away from the event loop, for when the delivery is answered; undefined for what needs none. */
  explain?: (() => Promise<string | undefined>) | undefined
}

type VerifierOptions = Pick<ListenerOptions, 'secrets' | 'knownSecrets' | 'clock'> & { explainer: Explainer }

const notExplained = 'It was not looked into: too many were being refused at once.'

/** Node has the names in lower case already: three lookups instead of a copy of all. */
function byName(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return {
    get(name: string): string | null {
      const value = headers[name.toLowerCase()]
      return typeof value === 'string' ? value : null
    },
  }
}

export function createVerifier({ secrets, knownSecrets, clock, explainer }: VerifierOptions) {
  async function refusal({ reason, detail }: NotVerified, delivery: DiagnoseWebhook): Promise<Verification> {
    const refused = { verified: false, reason }
    if (reason !== 'signature_mismatch' && reason !== 'no_secret') {
      // What the headers say needs no search.
      return { ...refused, detail: (await diagnoseWebhook(delivery)).sentence }
    }
    const unexplained = `${detail} ${notExplained}`
    if (explainer.busy) return { ...refused, detail: unexplained }
    return {
      ...refused,
      detail,
      async explain() {
        if (explainer.busy) return unexplained
        // A keychain that does not answer explains nothing.
        const known = (await knownSecrets?.().catch(() => [])) ?? []
        const { matches: _, ...request } = delivery
        return explainer.explain({ ...request, known })
      },
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
    const now = clock.now() / 1000
    const delivery = { secrets: accepted, headers, body, now, matches: nodeHmacMatches }
    const verdict = await verifyWebhook({ ...delivery, headers: byName(headers) })
    if (verdict.verified) return { verified: true, reason: undefined, detail: undefined }
    return refusal(verdict, delivery)
  }
}
