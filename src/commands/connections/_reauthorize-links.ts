/** Stores reauthorize links with the other secrets of the environment. */
import type { Session } from '../../cli/command/session.ts'
import { Reauthorization } from '../../contract/connections.ts'
import { chosenStore, storeSecret } from '../../secrets/credentials.ts'
import { KeychainError } from '../../secrets/errors.ts'
import type { LinkStore } from '../../workflows/reauthorize.ts'

/**
 * A link is a bearer credential, so it is stored like the API key: in the keychain, or in the file that the user chose.
 * If the keychain does not answer, it is not asked again, and `onNotKept` is called for each link that is not stored.
 */
export function reauthorizeLinks(
  session: Session,
  onNotKept: (connectionId: string) => void,
): LinkStore & {
  /** False once the keychain did not answer. */
  readonly answers: boolean
} {
  const { stores } = session
  const environment = session.environment.value
  const account = (connectionId: string) => `${environment}/reauthorize/${connectionId}`
  const store = chosenStore(stores, environment)
  let answers = true
  const asked = async <T>(question: () => Promise<T>): Promise<T | undefined> => {
    if (!answers) return undefined
    try {
      return await question()
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error
      answers = false
      return undefined
    }
  }
  return {
    get answers() {
      return answers
    },
    async get(connectionId) {
      const text = await asked(async () =>
        store === 'file'
          ? stores.file.get(account(connectionId))
          : await stores.keychain.get(account(connectionId)),
      )
      return text === undefined ? undefined : parse(text)
    },
    async set(connectionId, link) {
      await asked(() => storeSecret(stores, environment, account(connectionId), JSON.stringify(link), store))
      if (!answers) onNotKept(connectionId)
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
