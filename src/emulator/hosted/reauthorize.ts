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
import {
  accountsPage,
  questionPage,
  signInPage,
  type WidgetStep,
  wrongUserName,
} from '../pages/widget-pages.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { Environment } from '../store/customers.ts'
import type { ReauthLinkRow } from '../store/links.ts'
import { shownAccount } from './shown-account.ts'
import { isWrong, notAccepted } from './sign-in.ts'
import { goToAccounts, goToStep } from './steps.ts'
import { answerWidget, widgetAddress } from './widget.ts'

/** In place of ids of accounts: all of them. */
const everyAccount = 'all'

/** The page of the link, or of a step that a form led to. */
export function openReauthorize(
  engine: Engine,
  environment: Environment,
  token: string,
  query: URLSearchParams,
): PageReply {
  const link = liveReauthLink(engine, environment, token)
  if (!link) return invalidLink
  const widget = addedWidget(engine, link)
  if (widget !== undefined) return goTo(widgetAddress(widget))
  const step = stepOf(engine, link)
  const at = query.get(formFields.step)
  if (at === 'cancelled') return page(cancelledPage({ bankName: step.bank.name, again: step.again }))
  if (at === 'wrong') return page(signIn(engine, link, wrongUserName))
  if (at === null || !step.again) return page(signIn(engine, link))
  const row = connectionAt(engine, link.connection)
  if (at === 'done') return outcome(engine, row, query.getAll(formFields.account))
  const { securityQuestion } = behaviourOf(row)
  if (at === 'question' && securityQuestion !== undefined)
    return page(questionPage({ ...step, question: securityQuestion }))
  return page(at === 'accounts' ? accounts(engine, row, step, query) : signIn(engine, link))
}

function accounts(engine: Engine, row: ConnectionRow, step: WidgetStep, query: URLSearchParams): string {
  const chosen = query.get(formFields.action) !== formActions.none
  const offered = openedAccounts(engine, row).map(({ account }) => ({ ...shownAccount(account), chosen }))
  const shared = engine.store.accounts.ofConnection(row.seq).map(shownAccount)
  return accountsPage({ ...step, offered, shared })
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
  const address = addressOf(link)
  if (form.get(formFields.action) === formActions.cancel) return goToStep(address, 'cancelled')
  if (isWrong(form)) return goToStep(address, 'wrong')
  if (link.add_bank_source !== null) {
    if (!form.has(formFields.username)) return goTo(address)
    const added = engine.store.db.transaction(() => addBank(engine, link))
    return answerWidget(engine, environment, added, form)
  }
  const { reauthorizeError, securityQuestion } = behaviourOf(connectionAt(engine, link.connection))
  const chosen = form.getAll(formFields.account)
  const isLast = form.has(formFields.step) || chosen.length > 0
  if (isLast || (form.has(formFields.username) && reauthorizeError)) return complete(engine, link, chosen)
  if (form.has(formFields.username) && securityQuestion !== undefined) return goToStep(address, 'question')
  return goToAccounts(address, form)
}
/** Ends the session. The accounts that it has added are named in the address, to be marked as new. */
function complete(engine: Engine, link: ReauthLinkRow, chosen: readonly string[]): PageReply {
  const { ofConnection } = engine.store.accounts
  const before = new Set(ofConnection(link.connection).map(({ id }) => id))
  const adds = (id: string) => chosen.includes(id) || chosen.includes(everyAccount)
  engine.store.db.transaction(() => completeReauthorize(engine, link, adds))
  const added = ofConnection(link.connection).filter(({ id }) => !before.has(id))
  return goToStep(
    addressOf(link),
    'done',
    added.map(({ id }) => [formFields.account, id]),
  )
}

/** Says how the session ended: as the Connection reads. */
function outcome(engine: Engine, row: ConnectionRow, added: readonly string[]): PageReply {
  const closing = { bankName: institutionOf(row).name, again: true }
  if (row.status !== 'active') {
    const text = behaviourOf(row).reauthorizeError?.reason ?? 'The bank has refused.'
    return page(refusedPage({ ...closing, outcome: 'could not be reconnected', text, mark: 'lock' }))
  }
  const shared = engine.store.accounts
    .ofConnection(row.seq)
    .map((account) => ({ ...shownAccount(account), isNew: added.includes(account.id) }))
  return doneReply({ ...closing, shared })
}

/** A bank that moved is added anew: the user signs in as for a first link, and goes on in the widget. */
function stepOf(engine: Engine, link: ReauthLinkRow): WidgetStep {
  const again = link.add_bank_source === null
  const asks = behaviourOf(connectionAt(engine, link.connection)).securityQuestion !== undefined
  return {
    action: addressOf(link),
    token: link.token,
    bank: institutionOfLink(engine, link),
    again,
    steps: asks ? 3 : 2,
  }
}

const addressOf = ({ token }: ReauthLinkRow) => `/reauthorize/${token}`

function signIn(engine: Engine, link: ReauthLinkRow, refusedName?: string): string {
  const step = stepOf(engine, link)
  const { name } = institutionOf(connectionAt(engine, link.connection))
  const note = step.again
    ? 'Sign in again to keep your accounts up to date.'
    : `${name} has moved here. Signing in adds your accounts anew.`
  return signInPage({ ...step, note, ...(refusedName === undefined ? {} : notAccepted(refusedName)) })
}
