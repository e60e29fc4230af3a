/** Serves the pages of a reauthorize link: the user signs in again and may share accounts opened since. */
import { behaviourOf, connectionAt } from '../engine/connections.ts'
import type { Engine } from '../engine/engine.ts'
import { completeReauthorize, institutionOfLink, liveReauthLink } from '../engine/reauthorize.ts'
import { cancelledPage, donePage, invalidLink } from '../pages/closing-pages.ts'
import { type PageReply, page } from '../pages/document.ts'
import { formActions, formFields } from '../pages/html.ts'
import { accountsPage, questionPage, refusedPage, signInPage } from '../pages/widget-pages.ts'
import type { Environment } from '../store/customers.ts'
import type { ReauthLinkRow } from '../store/links.ts'

/** The value of the box for accounts that are not shared yet. */
const newAccounts = 'new'

export function openReauthorize(engine: Engine, environment: Environment, token: string): PageReply {
  const link = liveReauthLink(engine, environment, token)
  return link ? page(signInPage(stepOf(engine, link))) : invalidLink
}

/** Answers the form of a step. The link stays good until it expires: it can be opened again. */
export function answerReauthorize(
  engine: Engine,
  environment: Environment,
  token: string,
  form: URLSearchParams,
): PageReply {
  const link = liveReauthLink(engine, environment, token)
  if (!link) return invalidLink
  const step = stepOf(engine, link)
  const { institutionName } = step
  const { reauthorizeError, securityQuestion } = behaviourOf(connectionAt(engine, link.connection))
  if (form.get(formFields.action) === formActions.cancel) return page(cancelledPage({ institutionName }))
  if (form.has(formFields.account) || (link.add_bank_source && form.has(formFields.username))) {
    engine.store.db.transaction(() => completeReauthorize(engine, link))
    return page(donePage({ institutionName }))
  }
  if (form.has(formFields.username) && reauthorizeError) {
    engine.store.db.transaction(() => completeReauthorize(engine, link))
    return page(refusedPage({ ...step, reason: reauthorizeError.reason, canRetry: false }))
  }
  if (form.has(formFields.username) && securityQuestion !== undefined) {
    return page(questionPage({ ...step, question: securityQuestion }))
  }
  return page(accountsPage({ ...step, accounts: accountsOf(engine, link) }))
}

function stepOf(engine: Engine, link: ReauthLinkRow) {
  const { name, source } = institutionOfLink(engine, link)
  return { action: `/reauthorize/${link.token}`, token: link.token, institutionName: name, source }
}

function accountsOf(engine: Engine, { connection }: ReauthLinkRow) {
  const { unshared_accounts } = connectionAt(engine, connection)
  const shared = engine.store.accounts
    .ofConnection(connection)
    .map(({ id, name, mask }) => ({ id, name: name ?? 'Account', mask, chosen: true }))
  if (unshared_accounts === 0) return shared
  return [...shared, { id: newAccounts, name: 'Account opened since', mask: null, chosen: true }]
}
