/** The console as a document: the clock and the Connections, and beside them the lists or one of their rows in full. */
import type { LoggedRequest } from '../log/request-log.ts'
import { type Html, html } from '../pages/html.ts'
import { deliveryDetail, requestDetail } from './details.ts'
import { addressOf } from './filters.ts'
import { deliveryList, requestList, type Selected } from './lists.ts'
import type { DeliveryDetail, Overview } from './overview.ts'
import { clockCard, connectionsCard } from './side.ts'

export type ConsoleView =
  | { readonly kind: 'overview' }
  | { readonly kind: 'request'; readonly request: LoggedRequest }
  | { readonly kind: 'delivery'; readonly delivery: DeliveryDetail }
  /** What was to be opened is not kept any more. */
  | { readonly kind: 'gone' }

/** `formToken` is in every form. */
export function consolePage(overview: Overview, view: ConsoleView, formToken: string): string {
  const link = (place: string) => addressOf(`/#${place}`, overview.filters)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${titleOf(view)}</title>
<link rel="icon" href="/favicon.ico" type="image/svg+xml">
<link rel="stylesheet" href="/console/style.css">
<script src="/console/page.js" type="module"></script>
</head>
<body class="${view.kind === 'overview' ? 'overview' : 'opened'}">
<header class="top">
<h1><a href="${addressOf('/', overview.filters)}"><img src="/favicon.ico" alt="" width="24" height="24">Emulator</a></h1>
<ul class="bases">${overview.bases.map(base)}</ul>
<p id="live" class="live" role="status" data-state="off">Not live</p>
</header>
<nav class="jump" aria-label="On this page">${['Connections', 'Requests', 'Deliveries'].map((name) => html`<a href="${link(name.toLowerCase())}">${name}</a>`)}</nav>
<p id="said" role="status"></p>
<main id="main">
<div class="side">
${clockCard(overview, formToken)}
${connectionsCard(overview, formToken)}
</div>
${content(overview, view, formToken)}
</main>
</body>
</html>
`.markup
}

function content(overview: Overview, view: ConsoleView, formToken: string): Html {
  const link = (place: string) => addressOf(`/#${place}`, overview.filters)
  const requestsName = html`<h2 id="requests-name"><a href="${link('requests')}">Requests</a></h2>`
  const deliveriesName = html`<h2 id="deliveries-name"><a href="${link('deliveries')}">Deliveries</a></h2>`
  const requests = (selected: Selected) => requestList(overview, selected, requestsName)
  const deliveries = (selected: Selected) => deliveryList(overview, selected, deliveriesName, formToken)
  if (view.kind === 'request') {
    return html`${requests({ request: view.request.id })}${requestDetail(view.request, link('requests'))}`
  }
  if (view.kind === 'delivery') {
    const { delivery, event } = view.delivery
    return html`${deliveries(delivery === null ? { event } : { delivery })}${deliveryDetail(view.delivery, formToken, link('deliveries'))}`
  }
  if (view.kind === 'gone') {
    return html`${requests({})}<article id="detail" class="card detail" aria-labelledby="detail-name"><header><a class="back" href="${addressOf('/', overview.filters)}">Overview</a><h2 id="detail-name">Not kept any more</h2></header>
<p>The emulator keeps the latest 1,000, and forgets them with a reset.</p></article>`
  }
  return html`${requests({})}${deliveries({})}`
}

function titleOf(view: ConsoleView): string {
  if (view.kind === 'request')
    return `${view.request.method} ${view.request.path.split('?', 1)[0]} · Emulator`
  if (view.kind === 'delivery') return `${view.delivery.type} · Emulator`
  return 'Emulator'
}

function base({ environment, url, key }: Overview['bases'][number]): Html {
  return html`<li><span class="label">${environment}</span> <code>${url}</code> <span class="key">${key}…</span></li>`
}
