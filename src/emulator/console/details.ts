/** One request or delivery of the console, in full. */
import { errorCode } from '../../contract/errors.ts'
import { headers } from '../../contract/service.ts'
import { withoutSecrets } from '../../without-secrets.ts'
import type { LoggedRequest } from '../log/request-log.ts'
import { type Html, html } from '../pages/html.ts'
import type { SentRow } from '../store/sent.ts'
import { jsonView } from './json-view.ts'
import { deliveryStatus, requestStatus } from './lists.ts'
import type { DeliveryDetail } from './overview.ts'
import { clockTime, subjectOf, wallTime } from './words.ts'

/** `overview` is the address that leads back. */
export function requestDetail(request: LoggedRequest, overview: string): Html {
  const { id, at, environment, method, path, ms, key_prefix, error_code, trace_id } = request
  const [address = path, query] = path.split('?', 2)
  return html`<article id="detail" class="card detail" data-of="request-${id}" aria-labelledby="detail-name">
<header><a class="back" href="${overview}">Overview</a>
<h2 id="detail-name"><b class="method">${method}</b> <bdi>${address}</bdi></h2></header>
${facts([
  ['Answer', html`${requestStatus(request)} in ${ms} ms`],
  ['Error', error_code === null ? undefined : errorLink(error_code)],
  ['At', wallTime(at)],
  ['Key', html`${key_prefix === null ? 'none' : `${key_prefix}…`}`],
  ['Environment', html`${environment}`],
  ['Trace id', html`<code>${trace_id}</code>`],
  ['Send it again', againOf(request)],
])}
${query === undefined ? '' : html`<h3>Query</h3>${facts([...new URLSearchParams(query)].map(([name, value]) => [name, html`<code><bdi>${value}</bdi></code>`]))}`}
<h3>Request</h3>${bodyOf(request.request_body)}
<h3>Answer</h3>${bodyOf(request.response_body)}
</article>`
}

/** The command that sends it again: in the sandbox, without a body, and when nothing in its path was left out or is for a shell. */
function againOf({ environment, method, path, request_body }: LoggedRequest): Html | undefined {
  const plain = /^\/v3\/[\w\-./?&=%:,~]+$/.test(path)
  if (environment !== 'sandbox' || request_body || !plain) return undefined
  return html`<code class="again">bankapi api ${method} '${path}' --env local</code>`
}

function errorLink(code: string): Html {
  return errorCode(code) === undefined ? html`${code}` : html`<a href="/errors/${code}">${code}</a>`
}

function bodyOf(body: string | null | undefined): Html {
  return body ? jsonView(body) : html`<p class="none">No body</p>`
}

export function deliveryDetail(sent: DeliveryDetail, formToken: string, overview: string): Html {
  const {
    event,
    event_id,
    delivery,
    type,
    created_at,
    environment,
    url,
    subscription_id,
    state,
    attempts,
    next,
  } = sent
  const replay =
    delivery === null
      ? ''
      : html`<form method="post" action="/console/deliveries/${delivery}/replay"><input type="hidden" name="token" value="${formToken}"><button class="primary">Replay</button></form>`
  return html`<article id="detail" class="card detail" data-of="${delivery === null ? `event-${event}` : `delivery-${delivery}`}" aria-labelledby="detail-name">
<header><a class="back" href="${overview}">Overview</a><h2 id="detail-name">${type}</h2>${replay}</header>
${facts([
  ['Answer', html`${deliveryStatus(sent)} ${stateWords(state, attempts ?? 0)}`],
  ['Next attempt', next === undefined || state !== 'pending' ? undefined : html`${clockTime(next)} UTC`],
  ['About', subjectOf(sent.body) === '' ? undefined : html`<code>${subjectOf(sent.body)}</code>`],
  [
    'To',
    url === null
      ? html`Nobody had asked for this event`
      : html`<code><bdi>${withoutSecrets(url)}</bdi></code>`,
  ],
  ['Subscription', subscription_id === null ? undefined : html`<code>${subscription_id}</code>`],
  ['Event id', html`<code>${event_id}</code>`],
  ['Created', html`${clockTime(created_at)} UTC`],
  ['Environment', html`${environment}`],
])}
${attemptsOf(sent.sent)}
<h3>Body</h3>${jsonView(withoutSecrets(sent.body))}
</article>`
}

function stateWords(state: DeliveryDetail['state'], attempts: number): string {
  if (state === null) return ''
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  return {
    pending: attempts === 0 ? '' : `${times}, retrying`,
    delivered: times,
    given_up: `given up after ${times}`,
  }[state]
}

/** The latest in full, the others to open. */
function attemptsOf([latest, ...older]: readonly SentRow[]): Html {
  if (latest === undefined) return html``
  const others =
    older.length === 0
      ? ''
      : html`<details id="older"><summary>${older.length === 1 ? '1 earlier attempt' : `${older.length} earlier attempts`}</summary><ol>${older.map(attempt)}</ol></details>`
  return html`<div class="attempts"><ol>${attempt(latest)}</ol>${others}</div>`
}

/** The headers that it was signed with, the answer's status and the beginning of its body. */
function attempt({ seq, attempt: number, at, ms, detail, headers: signed, answer }: SentRow): Html {
  const sent = signed === null ? [] : Object.entries(JSON.parse(signed) as Record<string, string>)
  const shown = sent.filter(([name]) => name !== headers.webhookEventId && name !== headers.webhookEventType)
  const kind = /^2\d\d\b/.test(detail) ? 'ok' : 'bad'
  return html`<li id="attempt-${seq}"><h3>Attempt ${number} <span class="status ${kind}">${detail}</span> <span class="ms">${ms} ms</span> ${wallTime(at)}</h3>
${shown.length === 0 ? html`<p class="none">Nothing was sent</p>` : facts(shown.map(([name, value]) => [name, html`<code>${value}</code>`]))}
${answer === null || answer === '' ? '' : html`<p class="label">Body of the answer</p>${jsonView(answer)}`}</li>
`
}

type Fact = readonly [name: string, value: Html | undefined]

function facts(all: readonly Fact[]): Html {
  const rows = all.flatMap(([name, value]) =>
    value === undefined ? [] : [html`<dt>${name}</dt><dd>${value}</dd>\n`],
  )
  return html`<dl class="facts">${rows}</dl>`
}
