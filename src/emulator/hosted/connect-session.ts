/** Serves the page of a connect session: the user searches a bank, chooses it, and goes on to its widget. */
import { plainLetters } from '../catalog/plain-text.ts'
import { liveSession } from '../engine/connect-sessions.ts'
import type { Engine } from '../engine/engine.ts'
import { initiateOnPage } from '../engine/linking.ts'
import { findInstitution, institutions, searchInstitutions } from '../institutions/catalog.ts'
import { invalidLink } from '../pages/closing-pages.ts'
import { connectPage } from '../pages/connect-page.ts'
import { goTo, type PageReply, page } from '../pages/document.ts'
import { formFields } from '../pages/html.ts'
import type { Environment } from '../store/customers.ts'
import { widgetAddress } from './widget.ts'

/** The path that the forms of the page are sent to. */
export const connectPath = '/connect'

/** Ordinary banks shown at once: few before a search, so that the test banks below can be seen. */
const MAX_BANKS = { unsearched: 8, found: 20 } as const

export function connectSessionPage(
  engine: Engine,
  environment: Environment,
  token: string,
  query = '',
  message?: string,
): PageReply {
  if (!liveSession(engine, environment, token)) return invalidLink
  const found = searchInstitutions(query)
  const wanted = plainLetters(query.trim()).toLowerCase()
  const misbehaving = institutions.filter(
    (one) =>
      one.misbehaves !== undefined && (found.includes(one) || one.misbehaves.toLowerCase().includes(wanted)),
  )
  const ordinary = found.filter(({ misbehaves }) => misbehaves === undefined)
  return page(
    connectPage({
      searchAction: connectPath,
      chooseAction: connectPath,
      token,
      query,
      ordinary: ordinary.slice(0, query === '' ? MAX_BANKS.unsearched : MAX_BANKS.found),
      total: ordinary.length,
      misbehaving,
      ...(message === undefined ? {} : { message }),
    }),
  )
}

/** The bank is chosen: a link for the session's Client, and on to its widget. */
export function chooseInstitution(
  engine: Engine,
  environment: Environment,
  form: URLSearchParams,
): PageReply {
  const token = form.get(formFields.token) ?? ''
  const session = liveSession(engine, environment, token)
  if (!session) return invalidLink
  const institution = findInstitution(form.get(formFields.institution) ?? '')
  if (!institution) return connectSessionPage(engine, environment, token, '', 'Choose a bank from the list.')
  const widget = engine.store.db.transaction(() =>
    initiateOnPage(engine, {
      tenant: session.tenant,
      client: { seq: session.client },
      institution,
      redirectUrl: session.redirect_url,
    }),
  )
  return goTo(widgetAddress(widget))
}
