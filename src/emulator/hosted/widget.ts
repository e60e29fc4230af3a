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
import { type PageReply, page } from '../pages/document.ts'
import { formActions, formFields } from '../pages/html.ts'
import { accountsPage, questionPage, signInPage, type WidgetStep } from '../pages/widget-pages.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { Environment } from '../store/customers.ts'
import { shownAccount } from './shown-account.ts'
import { isWrong, notAccepted } from './sign-in.ts'

/** The page a user sees who opens the widget URL. */
export function openWidget(engine: Engine, environment: Environment, token: string): PageReply {
  const row = widgetConnection(engine, environment, token)
  if (!row) return invalidLink
  return row.reached_active === 1 ? doneReply(outcomeOf(engine, row)) : page(signIn(row))
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
  if (row.reached_active === 1) return done(engine, row)
  const step = stepOf(row)
  const action = form.get(formFields.action)
  if (action === formActions.retry) return page(signIn(row))
  if (action === formActions.cancel) return page(cancelledPage(closing(row)))
  const { signInRefusal, securityQuestion } = behaviourOf(row)
  if (action === formActions.giveUp) {
    // While the user could try again the link was not over; now the source reports the outage, if it still lasts.
    engine.store.db.transaction(() => refuseSignIn(engine, row.seq))
    return page(cancelledPage(closing(row)))
  }
  if (signInRefusal) return refused(engine, row, signInRefusal, form)
  if (isWrong(form)) return page(signIn(row, form))
  if (form.has(formFields.username) && securityQuestion !== undefined)
    return page(questionPage({ ...step, question: securityQuestion }))
  const ids = form.getAll(formFields.account)
  const chosenAt = (at: ConnectionRow) =>
    accountsAtBank(engine, at).filter(({ account }) => ids.includes(account.id))
  if (chosenAt(row).length > 0) {
    return done(
      engine,
      engine.store.db.transaction(() => finishWidget(engine, row.seq, chosenAt)),
    )
  }
  const selects = action === formActions.all || action === formActions.none
  const arrives = form.has(formFields.username) || form.has(formFields.answer)
  // What is left is the accounts form with nothing ticked, or with accounts that the bank does not have.
  const message = selects || arrives ? {} : { message: 'Choose at least one account.' }
  const ticked = action === formActions.all || arrives
  const offered = accountsAtBank(engine, row).map(({ account }) => ({
    ...shownAccount(account),
    chosen: ticked,
  }))
  return page(accountsPage({ ...step, ...message, offered }))
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

function signIn(row: ConnectionRow, refusedForm?: URLSearchParams): string {
  const { requires_desktop_app } = institutionOf(row)
  const denies = behaviourOf(row).signInRefusal === 'denied'
  return signInPage({
    ...stepOf(row),
    ...(requires_desktop_app ? { note: 'The desktop app has to be open when data is refreshed.' } : {}),
    denies,
    ...(refusedForm ? notAccepted(refusedForm, denies ? '' : undefined) : {}),
  })
}

/** The bank refuses whoever signs in, which the Connection then reads, too. */
function refused(
  engine: Engine,
  row: ConnectionRow,
  refusal: SignInRefusal,
  form: URLSearchParams,
): PageReply {
  if (refusal === 'unavailable') return page(unavailablePage(stepOf(row)))
  engine.store.db.transaction(() => refuseSignIn(engine, row.seq))
  return page(
    refusal === 'denied' ? signIn(row, form) : refusedPage({ ...closing(row), ...refusals[refusal] }),
  )
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

/** After the last step the browser goes on by itself; whoever opens the page again stays. */
function done(engine: Engine, row: ConnectionRow): PageReply {
  return doneReply({ ...outcomeOf(engine, row), stayAt: addressOf(row) })
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
