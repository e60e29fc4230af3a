/** The lists of the console: requests that came in, deliveries that went out. */
import { basePath, connectorPath } from '../../contract/service.ts'
import { withoutSecrets } from '../../without-secrets.ts'
import type { LoggedRequest } from '../log/request-log.ts'
import { type Html, html } from '../pages/html.ts'
import type { SentEvent } from '../store/deliveries.ts'
import { addressOf, type Filters } from './filters.ts'
import type { Overview } from './overview.ts'
import { cutInMiddle, subjectOf, timeOfClock, wallTime } from './words.ts'

/** Characters of a tool's name that are shown. */
const MAX_NAME = 40

export interface Selected {
  readonly request?: number
  readonly delivery?: number
  readonly event?: number
}

export function requestList({ requests, filters }: Overview, selected: Selected, heading: Html): Html {
  const { failedOnly } = filters
  const rows = requests.map((request) => requestRow(request, filters, request.id === selected.request))
  const empty = failedOnly
    ? html`<p class="empty">No request has failed.</p>`
    : html`<p class="empty">No request yet. This makes one:<br><code>bankapi clients list --env local</code></p>`
  return html`<section id="requests" class="card list" aria-labelledby="requests-name">
<header>${heading}<a class="filter" href="${addressOf('/#requests', { ...filters, failedOnly: !failedOnly })}"${mark(failedOnly)}>Failed only</a></header>
${rows.length === 0 ? empty : html`<ol id="request-rows" class="rows">${rows}</ol>`}
</section>`
}

function requestRow(request: LoggedRequest, filters: Filters, selected: boolean): Html {
  const { id, at, environment, method, path, status, complete, ms, key_prefix, error_code } = request
  return html`<li id="request-${id}"><a class="row request" href="${addressOf(`/console/requests/${id}`, filters)}"${current(selected)}>
${wallTime(at)}<b class="method">${method}</b><span class="what">${address(path)}${toolOf(request)}${environment === 'live' ? html` <span class="chip">live</span>` : ''}</span>
${requestStatus({ status, complete })}<span class="ms">${ms} ms</span><span class="more">${error_code ?? (key_prefix === null ? 'no key' : `${key_prefix}…`)}</span>
</a></li>
`
}

/** The path, with what all paths begin with in a quieter colour. */
function address(path: string): Html {
  const base = `${basePath}/`
  return path.startsWith(base)
    ? html`<bdi><span class="base">${basePath}</span>${path.slice(basePath.length)}</bdi>`
    : html`<bdi>${path}</bdi>`
}

/** The tool that a request calls on the connector, or its method. Of a body that was cut neither is known. */
function toolOf({ path, request_body }: LoggedRequest): Html | '' {
  if (path !== connectorPath || !request_body) return ''
  try {
    const { method, params } = JSON.parse(request_body) as { method?: unknown; params?: { name?: unknown } }
    const name = method === 'tools/call' ? params?.name : method
    return typeof name === 'string' ? html` <span class="chip">${name.slice(0, MAX_NAME)}</span>` : ''
  } catch {
    return ''
  }
}

export function requestStatus({ status, complete }: Pick<LoggedRequest, 'status' | 'complete'>): Html {
  if (status === null) return html`<span class="status bad">no answer</span>`
  const kind = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'ok'
  return complete
    ? html`<span class="status ${kind}">${status}</span>`
    : html`<span class="status bad" title="The caller did not get the whole answer">${status} cut</span>`
}

export function deliveryList(
  { deliveries, receivers, filters }: Overview,
  selected: Selected,
  heading: Html,
  formToken: string,
): Html {
  const rows = deliveries.map((sent) =>
    deliveryRow(
      sent,
      filters,
      sent.delivery === null ? sent.event === selected.event : sent.delivery === selected.delivery,
    ),
  )
  const listen = html`<p class="empty">${receivers.length === 0 ? 'Nobody receives webhooks. ' : 'Nothing was sent yet. '}${
    receivers.length === 0 ? html`This does:<br><code>bankapi webhooks listen --env local</code>` : ''
  }</p>`
  const none = html`<p class="empty">${filters.deliveries === 'failed' ? 'No delivery has failed.' : 'Every event was asked for.'}</p>`
  return html`<section id="deliveries" class="card list" aria-labelledby="deliveries-name">
<header>${heading}<span class="filters">${deliveryFilter('failed', 'Failed only', filters)} ${deliveryFilter('unsubscribed', 'Not asked for', filters)}</span></header>
${receivers.length === 0 ? '' : html`<ul id="receivers" class="receivers">${receivers.map((one) => receiver(one, formToken))}</ul>`}
${receivers.length === 0 || (rows.length === 0 && filters.deliveries === '') ? listen : rows.length === 0 ? none : ''}
${rows.length === 0 ? '' : html`<ol id="delivery-rows" class="rows">${rows}</ol>`}
</section>`
}

function deliveryFilter(wanted: 'failed' | 'unsubscribed', text: string, filters: Filters): Html {
  const isOn = filters.deliveries === wanted
  return html`<a class="filter" href="${addressOf('/#deliveries', { ...filters, deliveries: isOn ? '' : wanted })}"${mark(isOn)}>${text}</a>`
}

function receiver({ seq, url, environment }: Overview['receivers'][number], formToken: string): Html {
  return html`<li id="receiver-${seq}"><span class="what"><bdi>${withoutSecrets(url)}</bdi>${environment === 'live' ? html` <span class="chip">live</span>` : ''}</span>
<form method="post" action="/console/test-event"><input type="hidden" name="token" value="${formToken}"><button class="small" name="subscription" value="${seq}">Send test event</button></form></li>
`
}

function deliveryRow(sent: SentEvent, filters: Filters, selected: boolean): Html {
  const { event, delivery, at, ms, type, body, environment, created_at } = sent
  const [id, address] =
    delivery === null
      ? [`event-${event}`, `/console/events/${event}`]
      : [`delivery-${delivery}`, `/console/deliveries/${delivery}`]
  return html`<li id="${id}"><a class="row delivery" href="${addressOf(address, filters)}"${current(selected)}>
${at === null ? timeOfClock(created_at) : wallTime(at)}<span class="what">${type}${environment === 'live' ? html` <span class="chip">live</span>` : ''}</span>
${deliveryStatus(sent)}<span class="ms">${ms === null ? '' : `${ms} ms`}</span><span class="more">${cutInMiddle(subjectOf(body))}<span>${attemptsOf(sent)}</span></span>
</a></li>
`
}

function attemptsOf({ state, attempts }: SentEvent): string {
  if (state === 'given_up') return ` · given up after ${attempts ?? 0}`
  if (state === 'pending' && (attempts ?? 0) > 0) return ` · attempt ${attempts ?? 0}, retrying`
  return (attempts ?? 0) > 1 ? ` · attempt ${attempts ?? 0}` : ''
}

/** The answer of the latest attempt. */
export function deliveryStatus({
  delivery,
  state,
  detail,
}: Pick<SentEvent, 'delivery' | 'state' | 'detail'>): Html {
  if (delivery === null) return html`<span class="status none">no receiver</span>`
  if (state === 'delivered') return html`<span class="status ok">${detail ?? 'delivered'}</span>`
  if (detail === null)
    return html`<span class="status none">${state === 'pending' ? 'on its way' : 'given up'}</span>`
  return html`<span class="status bad" title="${detail}">${detail}</span>`
}

const current = (selected: boolean) => (selected ? html` aria-current="true"` : '')
const mark = (on: boolean) => (on ? html` aria-current="true"` : '')
