/** Serves the pages of a reauthorize link: the user signs in again and may share accounts opened since. */
import { openedAccounts } from '../engine/accounts.ts'
import { behaviourOf, connectionAt, institutionOf } from '../engine/connections.ts'
import type { Engine } from '../engine/engine.ts'
import {
  addBank,
  addedWidget,
  completeReauthorize,
  institutionOfLink,
  liveReauthLink,
} from '../engine/reauthorize.ts'
import { cancelledPage, doneReply, invalidLink, refusedPage } from '../pages/closing-pages.ts'
import { goTo, type PageReply, page } from '../pages/document.ts'
import { formActions, formFields } from '../pages/html.ts'
import { accountsPage, questionPage, signInPage, type WidgetStep } from '../pages/widget-pages.ts'
import type { Environment } from '../store/customers.ts'
import type { ReauthLinkRow } from '../store/links.ts'
import { shownAccount } from './shown-account.ts'
import { isWrong, notAccepted } from './sign-in.ts'
import { answerWidget, widgetAddress } from './widget.ts'

/** In place of ids of accounts: all of them. */
const everyAccount = 'all'

export function openReauthorize(engine: Engine, environment: Environment, token: string): PageReply {
  const link = liveReauthLink(engine, environment, token)
  if (!link) return invalidLink
  const widget = addedWidget(engine, link)
  return widget === undefined ? page(signIn(engine, link)) : goTo(widgetAddress(widget))
}

/** Answers the form of a step. The link stays good until it expires: it can be opened again, and adds a bank once. */
export function answerReauthorize(
  engine: Engine,
  environment: Environment,
  token: string,
  form: URLSearchParams,
): PageReply {
  const link = liveReauthLink(engine, environment, token)
  if (!link) return invalidLink
  const widget = addedWidget(engine, link)
  if (widget !== undefined) return answerWidget(engine, environment, widget, form)
  const step = stepOf(engine, link)
  const action = form.get(formFields.action)
  if (action === formActions.cancel)
    return page(cancelledPage({ bankName: step.bank.name, again: step.again }))
  if (isWrong(form)) return page(signIn(engine, link, form))
  if (link.add_bank_source !== null) {
    if (!form.has(formFields.username)) return page(signIn(engine, link))
    const added = engine.store.db.transaction(() => addBank(engine, link))
    return answerWidget(engine, environment, added, form)
  }
  const { reauthorizeError, securityQuestion } = behaviourOf(connectionAt(engine, link.connection))
  const chosen = form.getAll(formFields.account)
  const isLast = form.has(formFields.step) || chosen.length > 0
  if (isLast || (form.has(formFields.username) && reauthorizeError)) return complete(engine, link, chosen)
  if (form.has(formFields.username) && securityQuestion !== undefined)
    return page(questionPage({ ...step, question: securityQuestion }))
  const row = connectionAt(engine, link.connection)
  const offered = openedAccounts(engine, row).map(({ account }) => ({
    ...shownAccount(account),
    chosen: action !== formActions.none,
  }))
  const shared = engine.store.accounts.ofConnection(row.seq).map(shownAccount)
  return page(accountsPage({ ...step, offered, shared }))
}

/** Ends the session, and says how it ended: as the Connection then reads. */
function complete(engine: Engine, link: ReauthLinkRow, chosen: readonly string[]): PageReply {
  const { ofConnection } = engine.store.accounts
  const before = new Set(ofConnection(link.connection).map(({ id }) => id))
  const adds = (id: string) => chosen.includes(id) || chosen.includes(everyAccount)
  const row = engine.store.db.transaction(() => completeReauthorize(engine, link, adds))
  const closing = { bankName: stepOf(engine, link).bank.name, again: true }
  const { reauthorizeError } = behaviourOf(row)
  if (row.status !== 'active') {
    const text = reauthorizeError?.reason ?? 'The bank has refused.'
    return page(refusedPage({ ...closing, outcome: 'could not be reconnected', text, mark: 'lock' }))
  }
  const shared = ofConnection(row.seq).map((account) => ({
    ...shownAccount(account),
    isNew: !before.has(account.id),
  }))
  return doneReply({ ...closing, shared })
}

/** A bank that moved is added anew: the user signs in as for a first link, and goes on in the widget. */
function stepOf(engine: Engine, link: ReauthLinkRow): WidgetStep {
  const again = link.add_bank_source === null
  const asks = behaviourOf(connectionAt(engine, link.connection)).securityQuestion !== undefined
  return {
    action: `/reauthorize/${link.token}`,
    token: link.token,
    bank: institutionOfLink(engine, link),
    again,
    steps: asks ? 3 : 2,
  }
}

function signIn(engine: Engine, link: ReauthLinkRow, refusedForm?: URLSearchParams): string {
  const step = stepOf(engine, link)
  const { name } = institutionOf(connectionAt(engine, link.connection))
  const note = step.again
    ? 'Sign in again to keep your accounts up to date.'
    : `${name} has moved here. Signing in adds your accounts anew.`
  return signInPage({ ...step, note, ...(refusedForm ? notAccepted(refusedForm) : {}) })
}
