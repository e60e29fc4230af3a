/** The page of a connect session: search a bank and choose it. It asks for no credentials. */
import { hidden, htmlDocument } from './document.ts'
import { formFields, type Html, html } from './html.ts'

export interface ConnectPage {
  /** Where the search goes (GET) and where the choice goes (POST). */
  readonly searchAction: string
  readonly chooseAction: string
  readonly token: string
  /** The text searched for; empty at first. */
  readonly query: string
  /** Those to show, in order, and how many there are in all. */
  readonly institutions: readonly { readonly id: string; readonly name: string }[]
  readonly total: number
  /** Tells why the last choice was not taken. */
  readonly message?: string
}

export function connectPage(page: ConnectPage): string {
  return htmlDocument({
    heading: 'Connect your bank',
    simulation: true,
    body: html`<p>Choose your bank. You sign in on the next page, not on this one.</p>
${page.message === undefined ? '' : html`<p class="error" role="alert">${page.message}</p>`}
<form method="get" action="${page.searchAction}" role="search">
${hidden({ [formFields.token]: page.token })}<div class="field">
<label for="q">Bank name</label>
<input type="search" id="q" name="${formFields.query}" value="${page.query}" maxlength="100" autocomplete="off" enterkeyhint="search">
</div>
<button type="submit">Search</button>
</form>
<p role="status">${found(page)}</p>
${page.institutions.length === 0 ? '' : choices(page)}`,
  })
}

function found({ query, institutions, total }: ConnectPage): string {
  const matching = query === '' ? '' : ` matching “${query}”`
  if (total === 0) return `No bank${matching}. Try a shorter name.`
  const banks = total === 1 ? '1 bank' : `${total} banks`
  const shown = institutions.length
  return shown < total
    ? `The first ${shown} of ${banks}${matching}. Search to narrow the list.`
    : `${banks}${matching}.`
}

function choices({ chooseAction, token, institutions }: ConnectPage): Html {
  const banks = institutions.map(
    ({
      id,
      name,
    }) => html`<li><button type="submit" name="${formFields.institution}" value="${id}">${name}</button></li>
`,
  )
  return html`<form method="post" action="${chooseAction}">
${hidden({ [formFields.token]: token })}<ul class="banks" aria-label="Banks">
${banks}</ul>
</form>`
}
