/** The detail of the row under the cursor: which row it shows, when it is read, its lines at the width it has, and scrolling. */
import { type AnyRow, isDelivery, isOperation, isResource, keyOf } from './any-row.ts'
import { type DeliveryRow, forwardStateOf, verdictOf } from './delivery-row.ts'
import type { Effect, Step } from './events.ts'
import { FRAME_COLUMNS, hasDetailBeside, layoutOf } from './layout.ts'
import type { Detail, State } from './model.ts'
import { isRunning, type OperationRow } from './operation-row.ts'
import { type Line, type Tone, wrapLine } from './pieces.ts'
import { currentRow } from './window.ts'

/** Between two readings while deliveries stream in; a key is answered at once. */
const READ_PAUSE_MS = 250

/**
 * Shows the row under the cursor in the detail, when there is room for one or it has the focus. `urgent` for a key; the
 * rows that come meanwhile in a flood are passed over.
 */
export function followDetail(state: State, urgent: boolean): Step<State> {
  const { detail, focusedList, now } = state
  const row = currentRow(state, focusedList)
  const isOpen = hasDetailBeside(state) || detail?.focused === true
  if (row === undefined || !isOpen)
    return [detail === undefined ? state : { ...state, detail: undefined }, []]
  const key = keyOf(row)
  const isNew = detail?.list !== focusedList || detail.key !== key
  if (!isNew && !detail.due) return [state, []]
  const due = !urgent && now < state.detailAt
  const next: Detail = isNew
    ? {
        list: focusedList,
        key,
        notes: [],
        // What is read at once replaces that of the row before, without an empty frame between.
        tabs: detail?.list === focusedList && focusedList !== 'operations' ? detail.tabs : undefined,
        tab: detail?.list === focusedList ? detail.tab : 0,
        top: 0,
        focused: detail?.focused ?? false,
        due,
      }
    : { ...detail, due }
  if (due) return [{ ...state, detail: next }, []]
  return [{ ...state, detail: next, detailAt: now + READ_PAUSE_MS }, [loading(next, false)]]
}

/** Gives the keys to the detail, and reads an operation anew. */
export function focusDetail(state: State): Step<State> {
  const row = currentRow(state, state.focusedList)
  if (row === undefined) return [state, []]
  const key = keyOf(row)
  const { focusedList: list, detail } = state
  const known = detail?.list === list && detail.key === key ? detail : undefined
  const next: Detail = {
    ...{
      list,
      key,
      notes: known?.notes ?? [],
      tabs: known?.tabs,
      tab: known?.tab ?? 0,
      top: known?.top ?? 0,
    },
    focused: true,
    due: false,
  }
  const asks = known?.tabs === undefined || list === 'operations'
  return [{ ...state, detail: next }, asks ? [loading(next, true)] : []]
}

export function leaveDetail(state: State): State {
  const { detail } = state
  return detail === undefined ? state : { ...state, detail: { ...detail, focused: false } }
}

function loading({ list, key }: Detail, ask: boolean): Effect {
  return { kind: 'load-detail', list, key, ask }
}

/** When the detail is read next, Unix milliseconds; undefined when it is not due. */
export function nextDetail({ detail, detailAt }: State): number | undefined {
  return detail?.due ? detailAt : undefined
}

/** Shows another tab, from its first line. */
export function chooseTab(state: State, tab: number): State {
  const { detail } = state
  if (detail?.tabs === undefined || tab < 0 || tab >= detail.tabs.length) return state
  return { ...state, detail: { ...detail, tab, top: 0 } }
}

/** Scrolls the detail, at most until its last line is at the bottom. */
export function scrollDetail(state: State, by: number): State {
  const { detail } = state
  if (detail === undefined) return state
  const maxTop = Math.max(0, bodyOf(state).length - detailHeight(state))
  return { ...state, detail: { ...detail, top: Math.min(maxTop, Math.max(0, detail.top + by)) } }
}

/** Lines of the tab that fit. */
export function detailHeight(state: State): number {
  const { detail } = layoutOf(state)
  if (detail === undefined) return 1
  return Math.max(1, detail.height - 2 - headOf(state).length - tabLines(state))
}

/** The line of tabs, with an empty one above and below. */
export function tabLines({ detail }: State): number {
  return (detail?.tabs?.length ?? 0) > 1 ? 3 : 1
}

const wrapped = new WeakMap<readonly Line[], { width: number; lines: readonly Line[] }>()

/** All lines of the tab shown, wrapped to the width of the detail. */
export function bodyOf(state: State): readonly Line[] {
  const { detail } = state
  const tab = detail?.tabs?.[Math.min(detail.tab, detail.tabs.length - 1)]
  if (tab === undefined) return []
  const width = widthOfDetail(state)
  const known = wrapped.get(tab.lines)
  if (known?.width === width) return known.lines
  const lines = tab.lines.flatMap((line) =>
    wrapLine(line, width, Math.min(indentOf(line) + 2, Math.floor(width / 2))),
  )
  wrapped.set(tab.lines, { width, lines })
  return lines
}

function indentOf(line: Line): number {
  return /^ */.exec(line[0]?.text ?? '')?.[0].length ?? 0
}

function widthOfDetail(state: State): number {
  return Math.max(8, (layoutOf(state).detail?.columns ?? 0) - FRAME_COLUMNS)
}

/** The facts of the row and what was read about it, wrapped; at most half of the detail. */
export function headOf(state: State): readonly Line[] {
  const { detail } = state
  const row = currentRow(state, state.focusedList)
  const place = layoutOf(state).detail
  if (detail === undefined || row === undefined || place === undefined) return []
  const width = widthOfDetail(state)
  const lines = [...factsOf(row), ...detail.notes].flatMap((line) => wrapLine(line, width, 2))
  return lines.slice(0, Math.max(1, Math.floor((place.height - 2) / 2)))
}

function factsOf(row: AnyRow): Line[] {
  if (isDelivery(row)) return factsOfDelivery(row)
  return isOperation(row) ? factsOfOperation(row) : isResource(row) ? [] : []
}

function factsOfDelivery(row: DeliveryRow): Line[] {
  const { mark, tone } = lookOf(row)
  const { forward } = row
  const target: Line[] =
    forward === undefined
      ? forwardStateOf(row) === 'pending'
        ? [[{ text: '→ sent, no answer yet', tone: 'warn' }]]
        : []
      : [
          [
            {
              text: `→ ${forward.status ?? 'no answer'}`,
              tone: forwardStateOf(row) === 'accepted' ? 'good' : 'bad',
            },
            { text: ` in ${Math.round(forward.durationMs)} ms from ${forward.url}`, tone: 'dim' },
          ],
          ...(forward.error === undefined ? [] : [[{ text: forward.error, tone: 'bad' } as const]]),
        ]
  return [
    [
      { text: `${mark} `, tone },
      { text: row.type ?? '(no type)', tone: 'strong' },
    ],
    verdictLine(row),
    ...target,
  ]
}

function verdictLine(row: DeliveryRow): Line {
  switch (verdictOf(row)) {
    case 'verified':
      return [{ text: 'verified', tone: 'good' }]
    case 'duplicate':
      return [{ text: `verified, attempt ${row.attempt}: the event came before`, tone: 'warn' }]
    case 'replay':
      return [{ text: 'sent again from here', tone: 'accent' }]
    case 'refused':
      return [{ text: `not verified: ${(row.reason ?? 'refused').replaceAll('_', ' ')}`, tone: 'bad' }]
  }
}

/** The mark that a delivery has in its list: what somebody has to look at, what came again, what is fine. */
function lookOf(row: DeliveryRow): { mark: string; tone: Tone } {
  const state = forwardStateOf(row)
  if (verdictOf(row) === 'refused' || state === 'failed') return { mark: '✗', tone: 'bad' }
  if (state === 'pending') return { mark: '…', tone: 'warn' }
  const again = row.duplicate || row.replayOf !== undefined
  return again ? { mark: '↻', tone: 'warn' } : { mark: '✓', tone: 'good' }
}

export const statusLooks: Readonly<Record<string, { mark: string; tone: Tone }>> = {
  queued: { mark: '…', tone: 'warn' },
  succeeded: { mark: '✓', tone: 'good' },
  failed: { mark: '✗', tone: 'bad' },
}

function factsOfOperation(row: OperationRow): Line[] {
  const { mark = '?', tone = 'plain' } = statusLooks[row.status] ?? {}
  return [
    [
      { text: `${mark} ${row.status} `, tone },
      { text: row.type ?? '', tone: 'strong' },
    ],
    ...(row.subject === undefined ? [] : [[{ text: row.subject }]]),
    ...(row.outcome === undefined ? [] : [[{ text: row.outcome, tone } as const]]),
    ...(row.problem === undefined ? [] : [[{ text: `not read: ${row.problem}`, tone: 'warn' } as const]]),
    ...(row.docUrl === undefined ? [] : [[{ text: `o opens ${row.docUrl}`, tone: 'dim' } as const]]),
    ...(isRunning(row) && row.estimatedSeconds !== undefined
      ? [[{ text: `estimated ${Math.round(row.estimatedSeconds)} s, at least`, tone: 'dim' } as const]]
      : []),
  ]
}
