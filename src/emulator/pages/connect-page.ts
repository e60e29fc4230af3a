/** The page of a connect session: search a bank and choose it. It asks for no credentials. */
import { hidden, htmlDocument, named } from './document.ts'
import { formFields, type Html, html } from './html.ts'
import { icon } from './icons.ts'
import { monogram } from './monogram.ts'

export interface ListedBank {
  readonly id: string
  readonly name: string
  /** How it misbehaves, in two or three words; those that do stand apart. */
  readonly misbehaves?: string | undefined
}

export interface ConnectPage {
  /** Where the search goes (GET) and where the choice goes (POST). */
  readonly searchAction: string
  readonly chooseAction: string
  readonly token: string
  /** The text searched for; empty at first. */
  readonly query: string
  /** Those to show, in order, and how many ordinary ones there are in all. */
  readonly ordinary: readonly ListedBank[]
  readonly total: number
  readonly misbehaving: readonly ListedBank[]
  /** Tells why the last choice was not taken. */
  readonly message?: string
}

export function connectPage(page: ConnectPage): string {
  return htmlDocument({
    title: 'Connect your bank',
    simulation: true,
    body: html`<h1>Connect your bank</h1>
<p class="muted">Choose where you bank. You sign in next.</p>
${page.message === undefined ? '' : html`<p class="alert" role="alert">${icon('warning')}<span>${page.message}</span></p>`}
<form method="get" action="${page.searchAction}" role="search">
${hidden({ [formFields.token]: page.token })}<label class="hidden" for="q">Bank name</label>
<div class="search">${icon('search')}<input type="search" id="q" name="${formFields.query}" value="${page.query}" placeholder="Bank name" maxlength="100" autocomplete="off" enterkeyhint="search"><button type="submit">Search</button></div>
</form>
<p class="found muted small" role="status">${found(page)}</p>
${page.ordinary.length + page.misbehaving.length === 0 ? '' : choices(page)}`,
  })
}

function found({ query, ordinary, total, misbehaving }: ConnectPage): Html {
  const matching = query === '' ? html`` : html` matching “${named(query)}”`
  const all = total + misbehaving.length
  if (all === 0) return html`No bank${matching}. Try a shorter name.`
  if (ordinary.length < total)
    return html`${ordinary.length} of ${total} banks${matching}. Search to find the others.`
  return html`${all === 1 ? '1 bank' : `${all} banks`}${matching}.`
}

function choices({ chooseAction, token, ordinary, misbehaving }: ConnectPage): Html {
  return html`<form class="banks" method="post" action="${chooseAction}">
${hidden({ [formFields.token]: token })}${ordinary.length === 0 ? '' : html`<ul role="list" aria-label="Banks">\n${ordinary.map(row)}</ul>\n`}${misbehaving.length === 0 ? '' : testBanks(misbehaving)}</form>`
}

function testBanks(banks: readonly ListedBank[]): Html {
  return html`<h2 id="test-banks">Test banks</h2>
<p>Each of them misbehaves in one way.</p>
<ul role="list" aria-labelledby="test-banks">\n${banks.map(row)}</ul>
`
}

function row({ id, name, misbehaves }: ListedBank): Html {
  const chip = misbehaves === undefined ? '' : html` <span class="chip">${misbehaves}</span>`
  return html`<li><button type="submit" name="${formFields.institution}" value="${id}">${monogram(id, name)}<span class="name">${named(name)}${chip}</span>${icon('chevron')}</button></li>
`
}
