/** Serves the widget in which a user links a bank: sign in, answer a question if asked, choose accounts. */
import { accountsAtBank } from '../engine/accounts.ts'
import { institutionOf } from '../engine/connections.ts'
import { type Engine, tenantOf } from '../engine/engine.ts'
import { finishWidget, isLinkOver } from '../engine/linking.ts'
import { cancelledPage, donePage, invalidLink } from '../pages/closing-pages.ts'
import { type PageReply, page } from '../pages/document.ts'
import { formActions, formFields } from '../pages/html.ts'
import { accountsPage, questionPage, signInPage } from '../pages/widget-pages.ts'
import type { ConnectionRow } from '../store/connections.ts'
import type { Environment } from '../store/customers.ts'

/** The page a user sees who opens the widget URL. */
export function openWidget(engine: Engine, environment: Environment, token: string): PageReply {
  const row = widgetConnection(engine, environment, token)
  if (!row) return invalidLink
  if (row.reached_active === 1) return done(row)
  const { requires_desktop_app } = institutionOf(row)
  return page(
    signInPage({ ...stepOf(row, token), ...(requires_desktop_app ? { requiresDesktopApp: true } : {}) }),
  )
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
  if (row.reached_active === 1) return done(row)
  const step = stepOf(row, token)
  if (form.get(formFields.action) === formActions.cancel) return page(cancelledPage(closing(row)))
  if (form.has(formFields.account)) {
    const chosen = form.getAll(formFields.account)
    const share = (at: ConnectionRow) =>
      accountsAtBank(engine, at).filter(({ account }) => chosen.includes(account.id))
    return done(engine.store.db.transaction(() => finishWidget(engine, row.seq, share)))
  }
  const { securityQuestion } = institutionOf(row).behaviour
  if (form.has(formFields.username) && securityQuestion !== undefined) {
    return page(questionPage({ ...step, question: securityQuestion }))
  }
  if (form.has(formFields.username) || form.has(formFields.answer))
    return page(chooseAccounts(engine, row, step))
  // The accounts form with nothing ticked.
  return page(chooseAccounts(engine, row, { ...step, message: 'Choose at least one account.' }))
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

function stepOf(row: ConnectionRow, token: string) {
  return {
    action: `/widget/${token}`,
    token,
    institutionName: institutionOf(row).name,
    source: row.source,
  }
}

function chooseAccounts(
  engine: Engine,
  row: ConnectionRow,
  step: ReturnType<typeof stepOf> & { message?: string },
) {
  const accounts = accountsAtBank(engine, row).map(({ account: { id, name, mask } }) => ({
    id,
    name,
    mask,
    chosen: true,
  }))
  return accountsPage({ ...step, accounts })
}

function closing(row: ConnectionRow) {
  const { name } = institutionOf(row)
  return { institutionName: name, ...(row.redirect_url === null ? {} : { returnTo: row.redirect_url }) }
}

function done(row: ConnectionRow): PageReply {
  return page(donePage(closing(row)))
}
