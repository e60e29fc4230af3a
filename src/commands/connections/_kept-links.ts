/** The links that `connections reauthorize` finds again, for those who make links and do not show them. */
import type { Session } from '../../cli/command/session.ts'
import type { Machine } from '../../machine/machine.ts'
import type { KeptLinks } from '../../mcp/assistant.ts'
import { KnownLinks } from './_known-links.ts'
import { reauthorizeLinks } from './_reauthorize-links.ts'

export function keptLinks(machine: Machine, session: Session): KeptLinks {
  const store = reauthorizeLinks(session, () => {})
  const known = new KnownLinks(machine, session.environment.value)
  return {
    ...{ store, marks: known },
    get answers() {
      return store.answers
    },
    refusal: (connectionId) => known.of(connectionId)?.message,
  }
}
