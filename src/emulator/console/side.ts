/** The clock and the Connections, beside the lists of the console. */
import { type Html, html } from '../pages/html.ts'
import { fieldsOf } from './filters.ts'
import type { ConsoleConnection, Overview } from './overview.ts'
import { clockTime, duration } from './words.ts'

/** How far the buttons move the clock. */
const steps: readonly (readonly [label: string, ms: number])[] = [
  ['1 min', 60_000],
  ['1 h', 3_600_000],
  ['1 day', 86_400_000],
  ['1 week', 604_800_000],
]

export function clockCard({ clock: { now, runs, ahead, next, faults } }: Overview, formToken: string): Html {
  const [day = '', time = ''] = clockTime(now).split(' ')
  const buttons = steps.map(
    ([label, ms]) =>
      html`<button name="ms" value="${ms}"><span aria-hidden="true">+</span><span class="hidden">Advance by </span>${label}</button>\n`,
  )
  const nextJob =
    next === undefined
      ? ''
      : html`<button class="wide" name="until" value="${next}">To the next job, ${clockTime(next).replace(`${day} `, '')}</button>`
  const orderedFaults =
    faults === 0
      ? ''
      : html`<p class="notice">${faults === 1 ? '1 fault is' : `${faults} faults are`} ordered. <code>bankapi emulator faults clear</code> ends ${faults === 1 ? 'it' : 'them'}.</p>`
  return html`<section id="clock-card" class="card clock" aria-labelledby="clock-name">
<h2 id="clock-name">Clock</h2>
<p class="now"><time id="clock" data-now="${Date.parse(now)}" data-runs="${runs ? 1 : 0}"><span class="day">${day}</span> <span class="time">${time}</span></time> <span class="zone">UTC</span></p>
<p class="ahead">${Math.abs(ahead) < 1000 ? 'As the wall clock' : `${duration(ahead)} ahead of the wall clock`}${runs ? '' : '; it stands still'}</p>
<form method="post" action="/console/advance"><input type="hidden" name="token" value="${formToken}">${buttons}${nextJob}</form>
${orderedFaults}</section>`
}

export function connectionsCard({ connections, filters }: Overview, formToken: string): Html {
  const { find } = filters
  const shown = connections.reduce((sum, { rows }) => sum + rows.length, 0)
  const total = connections.reduce((sum, group) => sum + group.total, 0)
  const others = fieldsOf({ ...filters, find: '' }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const search =
    total > shown || find !== '' || total > 10
      ? html`<form class="find" role="search" action="/"><label for="find" class="hidden">Find a Connection by an id</label><input id="find" type="search" name="find" value="${find}" placeholder="Id of a Connection, Client or bank">${others}<button class="small">Find</button></form>`
      : ''
  return html`<section id="connections" class="card" aria-labelledby="connections-name">
<header><h2 id="connections-name">Connections</h2><span class="count">${shown === total ? total : `${shown} of ${total}`}</span></header>
${search}
${shown === 0 ? html`<p class="empty">No Connection ${find === '' ? 'yet' : 'has this in an id'}.</p>` : ''}
${connections.filter(({ rows }) => rows.length > 0).map((group) => connectionGroup(group, formToken))}
</section>`
}

function connectionGroup({ environment, rows }: Overview['connections'][number], formToken: string): Html {
  return html`<h3>${environment === 'live' ? 'Live' : 'Sandbox'}</h3>
<ul class="connections" id="connections-${environment}">${rows.map((row) => connectionRow(row, formToken))}</ul>`
}

function connectionRow(
  { seq, environment, id, client_id, institution, status, error_code, offers }: ConsoleConnection,
  formToken: string,
): Html {
  const buttons = offers.map(
    ({ name, label, order: { type } }) =>
      html`<button name="offer" value="${name}"><span>${label}</span> <code>${type}</code></button>\n`,
  )
  const menu =
    offers.length === 0
      ? ''
      : html`<details id="menu-${seq}" class="menu"><summary aria-label="Trigger something for ${id}">Trigger</summary>
<form method="post" action="/console/trigger"><input type="hidden" name="token" value="${formToken}"><input type="hidden" name="environment" value="${environment}"><input type="hidden" name="connection" value="${id}">${buttons}</form></details>`
  return html`<li id="connection-${seq}" class="connection">
<p class="name"><bdi>${institution}</bdi> <span class="state ${status}">${status}</span></p>
<p class="ids"><code>${id}</code> <span>${client_id}</span>${error_code === undefined ? '' : html` <a href="/errors/${error_code}">${error_code}</a>`}</p>
${menu}</li>
`
}
