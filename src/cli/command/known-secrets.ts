/** Every signing secret that this machine knows, to explain why a signature does not match. */

import { systemClock } from '../../machine/clock.ts'
import { listenerSubscriptions } from '../../secrets/listener-subscriptions.ts'
import { everyWebhookSecret, type StoredWebhookSecret } from '../../secrets/webhook-secrets.ts'
import type { Session } from './session.ts'

/** Milliseconds for which an explanation waits for a slow keychain; the sender of a delivery waits with it. */
const PATIENCE = 300

/**
 * Those of all environments: what the stores hold, and what listeners on `local` noted. Never rejects: a place that
 * cannot be read explains nothing.
 */
export async function everyKnownSecret(session: Session): Promise<readonly StoredWebhookSecret[]> {
  const [noted, stored] = await Promise.all([
    attempt(async () => notedSecrets(session)),
    attempt(async () => (await everyWebhookSecret(session.stores)).secrets),
  ])
  return [...noted, ...stored]
}

/** Reads them in the background, and answers with what is there: nothing while a slow keychain is being asked. */
export function backgroundSecrets(session: Session): () => Promise<readonly StoredWebhookSecret[]> {
  const reading = everyKnownSecret(session)
  return () => Promise.race([reading, systemClock.sleep(PATIENCE).then(() => [])])
}

function notedSecrets({ machine }: Session): StoredWebhookSecret[] {
  return listenerSubscriptions(machine).flatMap(({ environment, subscription_id, signing_secret }) =>
    signing_secret === undefined
      ? []
      : [{ environment, subscription: subscription_id, secret: signing_secret }],
  )
}

async function attempt(
  read: () => Promise<readonly StoredWebhookSecret[]>,
): Promise<readonly StoredWebhookSecret[]> {
  try {
    return await read()
  } catch {
    return []
  }
}
