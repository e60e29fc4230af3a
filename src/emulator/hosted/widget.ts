/** Serves the widget in which a user links a bank: sign in, answer a question if asked, choose accounts. */
import { accountsAtBank } from '../engine/accounts.ts'
import { behaviourOf, errorCodeOf, institutionOf } from '../engine/connections.ts'
import { type Engine, tenantOf } from '../engine/engine.ts'
import { finishWidget, isLinkOver, refuseSignIn } from '../engine/linking.ts'
import type { SignInRefusal } from '../institutions/behaviour.ts'
import {
  cancelledPage,
  type Done,
  doneReply,
  invalidLink,
  refusedPage,
  unavailablePage,
} from '../pages/closing-pages.ts'
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
import { shownAccount } from './shown-account.ts'
import { isWrong, notAccepted } from './sign-in.ts'
import { goToAccounts, goToStep } from './steps.ts'

/**
 * The page a user sees who opens the widget URL, or is led to a step of it. What the link and its bank do not allow, or
 * no longer, begins with the sign-in.
 */
export function openWidget(
  engine: Engine,
  environment: Environment,
  token: string,
  query: URLSearchParams,
): PageReply {
  const row = widgetConnection(engine, environment, token)
  if (!row) return invalidLink
  const at = query.get(formFields.step)
  // After the last step the browser goes on by itself; whoever opens the link again stays.
  if (row.reached_active === 1)
    return doneReply({ ...outcomeOf(engine, row), ...(at === 'done' ? { stayAt: addressOf(row) } : {}) })
  if (at === 'cancelled') return page(cancelledPage(closing(row)))
  const { signInRefusal, securityQuestion } = behaviourOf(row)
  if (at === 'unavailable' && signInRefusal === 'unavailable') return page(unavailablePage(stepOf(row)))
  if (at === 'refused' && signInRefusal === 'locked') return refusedReply(row, signInRefusal)
  if (signInRefusal !== undefined) return page(signIn(row))
  if (at === 'wrong') return page(signIn(row, wrongUserName))
  if (at === 'question' && securityQuestion !== undefined)
    return page(questionPage({ ...stepOf(row), question: securityQuestion }))
  return page(at === 'accounts' ? accounts(engine, row, query) : signIn(row))
}

function accounts(engine: Engine, row: ConnectionRow, query: URLSearchParams): string {
  const action = query.get(formFields.action)
  const message = action === formActions.continue ? { message: 'Choose at least one account.' } : {}
  const chosen = action === null || action === formActions.all
  const offered = accountsAtBank(engine, row).map(({ account }) => ({ ...shownAccount(account), chosen }))
  return accountsPage({ ...stepOf(row), ...message, offered })
}

/** Answers the form of a step; its fields tell which step it was. */
export function answerWidget(
  engine: Engine,
  environment: Environment,
  token: string,
  form: URLSearchParams,
): PageReply {
  const row = widgetConnection(engine, environment, token)
  if (!row) return invalidLink
  const address = addressOf(row)
  if (row.reached_active === 1) return goToStep(address, 'done')
  const action = form.get(formFields.action)
  if (action === formActions.retry) return goTo(address)
  if (action === formActions.cancel) return goToStep(address, 'cancelled')
  const { signInRefusal, securityQuestion } = behaviourOf(row)
  if (action === formActions.giveUp) {
    // While the user could try again the link was not over; now the source reports the outage, if it still lasts.
    engine.store.db.transaction(() => refuseSignIn(engine, row.seq))
    // Not by a redirect: the link may be over.
    return page(cancelledPage(closing(row)))
  }
  if (signInRefusal) return refused(engine, row, signInRefusal, form)
  if (isWrong(form)) return goToStep(address, 'wrong')
  if (form.has(formFields.username) && securityQuestion !== undefined) return goToStep(address, 'question')
  const ids = form.getAll(formFields.account)
  const chosenAt = (at: ConnectionRow) =>
    accountsAtBank(engine, at).filter(({ account }) => ids.includes(account.id))
  if (chosenAt(row).length === 0) return goToAccounts(address, form)
  engine.store.db.transaction(() => finishWidget(engine, row.seq, chosenAt))
  return goToStep(address, 'done')
}

function widgetConnection(
  engine: Engine,
  environment: Environment,
  token: string,
): ConnectionRow | undefined {
  const row = engine.store.connections.byWidgetToken(token)
  if (!row || row.status === 'disconnected' || isLinkOver(row)) return undefined
  return tenantOf(engine, row.tenant).environment === environment ? row : undefined
}

export const widgetAddress = (token: string): string => `/widget/${token}`

const addressOf = ({ widget_token }: ConnectionRow) => widgetAddress(widget_token ?? '')

function stepOf(row: ConnectionRow): WidgetStep {
  return {
    action: addressOf(row),
    token: row.widget_token ?? '',
    bank: institutionOf(row),
    again: false,
    steps: behaviourOf(row).securityQuestion === undefined ? 2 : 3,
  }
}

function signIn(row: ConnectionRow, refusedName?: string): string {
  const { requires_desktop_app } = institutionOf(row)
  const denies = behaviourOf(row).signInRefusal === 'denied'
  return signInPage({
    ...stepOf(row),
    ...(requires_desktop_app ? { note: 'The desktop app has to be open when data is refreshed.' } : {}),
    denies,
    ...(refusedName === undefined ? {} : notAccepted(refusedName, denies ? '' : undefined)),
  })
}

/** The bank refuses whoever signs in, which the Connection then reads, too. */
function refused(
  engine: Engine,
  row: ConnectionRow,
  refusal: SignInRefusal,
  form: URLSearchParams,
): PageReply {
  if (refusal === 'unavailable') return goToStep(addressOf(row), 'unavailable')
  engine.store.db.transaction(() => refuseSignIn(engine, row.seq))
  if (refusal === 'locked') return goToStep(addressOf(row), 'refused')
  if (refusal === 'denied') return page(signIn(row, form.get(formFields.username)?.slice(0, 200) ?? ''))
  // Not by a redirect: the link is over.
  return refusedReply(row, refusal)
}

function refusedReply(row: ConnectionRow, refusal: keyof typeof refusals): PageReply {
  return page(refusedPage({ ...closing(row), ...refusals[refusal] }))
}

/** What a refusal that ends the visit says. */
const refusals = {
  locked: {
    outcome: 'has locked your account',
    text: 'Nothing was shared. Ask the bank to unlock it, then open the link again.',
    mark: 'lock',
  },
  closed: {
    outcome: 'has closed your login',
    text: 'Nothing was shared, and the bank cannot be connected with this login.',
    mark: 'cross',
  },
} as const

function closing(row: ConnectionRow) {
  const { name } = institutionOf(row)
  const returnTo = row.redirect_url === null ? {} : { returnTo: row.redirect_url }
  return { bankName: name, again: false, ...returnTo }
}

function outcomeOf(engine: Engine, row: ConnectionRow) {
  const attention = attentionOf(row)
  const shared = engine.store.accounts.ofConnection(row.seq).map(shownAccount)
  return { ...closing(row), shared, ...(attention === undefined ? {} : { attention }) }
}

/** Why a Connection that was linked does not work, or will not a moment later; undefined while it does. */
function attentionOf(row: ConnectionRow): Done['attention'] {
  const { afterLinking } = behaviourOf(row)
  if (row.status === 'active' && !afterLinking) return undefined
  const code = errorCodeOf(row) ?? afterLinking?.error
  if (row.status === 'failed' || code === 'institution_unavailable')
    return { outcome: 'is not available', text: 'The bank does not answer right now.' }
  return { outcome: 'needs you again', text: needOf(code) }
}

function needOf(code: string | undefined): string {
  if (code === 'mfa_required')
    return 'The bank asks one more question before it sends new data: reconnect to answer it.'
  if (code === 'account_locked_by_institution') return 'The bank has locked your account since.'
  return 'The bank asks you to sign in again: reconnect to do so.'
}
