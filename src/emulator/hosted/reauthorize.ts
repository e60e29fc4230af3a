/** Behind a reauthorize link: the user signs in again and may share accounts opened since. */
import { connectionAt } from '../engine/connections.ts'
import type { Engine } from '../engine/engine.ts'
import {
  completeReauthorize,
  failReauthorize,
  institutionOfLink,
  liveReauthLink,
} from '../engine/reauthorize.ts'
import { behaviourOf } from '../engine/trouble.ts'
import { cancelledPage, donePage } from '../pages/closing-pages.ts'
import { formActions, formFields } from '../pages/form-fields.ts'
import { accountsPage, questionPage, refusedPage, signInPage } from '../pages/widget-pages.ts'
import type { ReauthLinkRow } from '../store/links.ts'
import type { Environment } from '../store/tenants.ts'
import { invalidLink, type PageReply, page } from './page-reply.ts'
import { question } from './widget.ts'

/** The box for accounts the bank has and the Connection has not. */
const newAccounts = 'new'

export function openReauthorize(engine: Engine, environment: Environment, token: string): PageReply {
  const link = liveReauthLink(engine, environment, token)
  return link ? page(signInPage(stepOf(engine, link))) : invalidLink
}

/** The answer to a step's form. The link stays good until it expires: it can be opened again. */
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
  const behaviour = behaviourOf(connectionAt(engine, link.connection))
  if (form.get(formFields.action) === formActions.cancel) return page(cancelledPage({ institutionName }))
  if (form.has(formFields.account) || (link.add_bank_source && form.has(formFields.username))) {
    engine.store.db.transaction(() => completeReauthorize(engine, link))
    return page(donePage({ institutionName }))
  }
  if (form.has(formFields.username) && behaviour === 'locked') {
    engine.store.db.transaction(() => failReauthorize(engine, link))
    return page(refusedPage({ ...step, reason: 'The bank has locked this account.', canRetry: false }))
  }
  if (form.has(formFields.username) && behaviour === 'mfa') return page(questionPage({ ...step, question }))
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
