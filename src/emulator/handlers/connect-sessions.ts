import type { connectSessions as contract } from '../../contract/connect-sessions.ts'
import { checkRedirect } from '../engine/allowlist.ts'
import { openSession } from '../engine/connect-sessions.ts'
import { notFound } from '../engine/problem.ts'
import { connectSessionPage } from '../hosted/connect-session.ts'
import { clientOf } from './finding.ts'
import type { Handlers } from './handler.ts'

export const connectSessions: Handlers<typeof contract> = {
  create({ client_id, redirect_url }, call) {
    const client = clientOf(call, client_id)
    if (redirect_url !== undefined) checkRedirect(call.engine, call.tenant.seq, redirect_url)
    return openSession(call.engine, call.tenant, client.seq, redirect_url)
  },

  delete({ client_id, sid }, call) {
    const client = clientOf(call, client_id)
    const session = call.engine.store.links.session(sid)
    if (session?.client !== client.seq) throw notFound('connect session')
    call.engine.store.links.revokeSession(session.seq)
    return undefined
  },

  page: ({ token }, { engine, environment }) => connectSessionPage(engine, environment, token),
}
