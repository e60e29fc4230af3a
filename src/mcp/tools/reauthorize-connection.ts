/** Makes the link with which a user repairs a Connection, and keeps it for a person: the assistant never sees it. */
import * as z from 'zod'
import { BankapiError } from '../../errors.ts'
import { reauthorize } from '../../workflows/reauthorize.ts'
import { isUserRepairable } from '../../workflows/triage.ts'
import type { KeptLinks } from '../assistant.ts'
import { tool } from '../tool.ts'

export const reauthorizeConnection = tool({
  name: 'reauthorize_connection',
  title: 'Make a link to repair a connection',
  description:
    'For a connection that waits for its user to sign in again. The link is a secret and not in the answer: a person shows it with the command get_link and gives it to the user. While it is valid no second one is made.',
  input: { connection_id: z.string().max(200) },
  output: {
    connection_id: z.string(),
    reused: z.boolean(),
    expires_at: z.string(),
    get_link: z.string(),
    moved_to_source: z
      .string()
      .optional()
      .describe('The link makes a new connection at this source; the old one stays'),
  },
  scopes: ['read:connections', 'write:connections'],
  group: 'reauthorize',
  async run(call, { connection_id }) {
    const { api, signal, command, openLinks } = call
    const connection = await api.connections.get({ connection_id }, { signal })
    if (!isUserRepairable(connection)) throw notRepairable(connection.status)
    const show = command('connections', 'reauthorize', connection_id)
    const links = await openLinks()
    const { reauthorization, reused, movedTo } = await reauthorize(call, links.store, {
      connectionId: connection_id,
      fresh: false,
      marks: links.marks,
      confirm: async () => assertMayBeMade(links, connection_id, show),
    })
    if (!links.answers) throw notKept(show)
    links.marks.clear(connection_id)
    return {
      data: {
        ...{ connection_id, reused, get_link: show },
        expires_at: reauthorization.action.expires_at,
        moved_to_source: movedTo,
      },
    }
  },
})

function notRepairable(status: string): BankapiError {
  return new BankapiError(`The connection is ${status}, and not one that its user can repair with a link`, {
    code: 'not_repairable',
    exit: 'usage',
    hint: 'get_connection says who can act',
  })
}

/** The store was asked before. */
function assertMayBeMade(links: KeptLinks, id: string, show: string): void {
  if (!links.answers) throw notKept(show)
  const why = links.refusal(id)
  if (why !== undefined) {
    throw new BankapiError(`No second link is made for ${id}: ${why}`, {
      code: 'link_exists',
      exit: 'usage',
      hint: `A person may make another: ${show} --new`,
    })
  }
}

function notKept(show: string): BankapiError {
  return new BankapiError('No keychain answers here that could keep the link', {
    code: 'link_not_kept',
    exit: 'usage',
    hint: `A person makes and sees one with: ${show}`,
  })
}
