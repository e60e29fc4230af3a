/** Stores reauthorize links with the other secrets of the environment. */

import type { Session } from '../../cli/command/session.ts'
import { Reauthorization } from '../../contract/connections.ts'
import { chosenStore, storeSecret } from '../../secrets/credentials.ts'
import { KeychainError } from '../../secrets/errors.ts'
import type { LinkStore } from '../../workflows/reauthorize.ts'

/**
 * A link is a bearer credential, so it is stored like the API key: in the keychain, or in the file that the user chose.
 * If the keychain does not answer, the link is not stored, which is a warning.
 */
export function reauthorizeLinks(session: Session, onWarning: (warning: string) => void): LinkStore {
  const { stores } = session
  const environment = session.environment.value
  const account = (connectionId: string) => `${environment}/reauthorize/${connectionId}`
  const store = chosenStore(stores, environment)
  return {
    async get(connectionId) {
      try {
        const text =
          store === 'file'
            ? stores.file.get(account(connectionId))
            : await stores.keychain.get(account(connectionId))
        return text === undefined ? undefined : parse(text)
      } catch (error) {
        if (error instanceof KeychainError) return undefined
        throw error
      }
    },
    async set(connectionId, link) {
      try {
        await storeSecret(stores, environment, account(connectionId), JSON.stringify(link), store)
      } catch (error) {
        if (!(error instanceof KeychainError)) throw error
        onWarning(
          'no keychain answers, so this link is not remembered: keep it, and do not make a second one',
        )
      }
    },
  }
}

function parse(text: string): Reauthorization | undefined {
  try {
    const link = Reauthorization.safeParse(JSON.parse(text))
    return link.success ? link.data : undefined
  } catch {
    return undefined
  }
}
