import { Box } from 'ink'
import { formatElapsed } from '../../output/delivery-line.ts'
import { answersOf, MINUTES } from '../state/figures.ts'
import type { State } from '../state/model.ts'
import { isSettled } from '../state/operation-row.ts'
import { fitLine, type Piece, type Tone, widthOfLine } from '../state/pieces.ts'
import { Line } from './line.tsx'

/** The environment and the listener, then the figures; on one line when there is no room for two. */
export function Header({ state, width, lines }: { state: State; width: number; lines: number }) {
  const environment = environmentPieces(state)
  const figures = figurePieces(state)
  if (lines === 1) {
    return <Line pieces={fitLine([...environment, { text: '  ' }, ...countPieces(state)], width)} />
  }
  // Where not everything fits, what failed is said before what is fine.
  const counts = [countPieces(state), countPieces(state, true)]
  const both = counts.map((some) => [...figures, ...(some.length === 0 ? [] : [{ text: '   ' }]), ...some])
  const second = both.find((pieces) => widthOfLine(pieces) <= width) ?? both.at(-1) ?? []
  return (
    <Box flexDirection='column'>
      <Line pieces={fitLine([...environment, ...listenerPieces(state)], width)} />
      <Line pieces={fitLine(second, width)} />
    </Box>
  )
}

/** `LIVE`, of a profile also its name. */
function liveName(environment: string): string {
  return [...new Set(['LIVE', environment.toUpperCase()])].join(' ')
}

function environmentPieces({ about, paused }: State): Piece[] {
  return [
    { text: 'bankapi ', tone: 'strong' },
    about.live
      ? { text: `[ ${liveName(about.environment)}: REAL DATA ]`, tone: 'bad' }
      : { text: about.environment, tone: 'accent' },
    { text: ` ${about.keyPrefix ?? '(no key)'}`, tone: 'dim' },
    ...(paused === undefined
      ? []
      : [{ text: ` ‖ PAUSED${paused.missed > 0 ? `, ${paused.missed} new` : ''}`, tone: 'warn' } as const]),
  ]
}

function listenerPieces({ listener }: State): Piece[] {
  const { url, targets, down } = listener
  switch (listener.state) {
    case 'none':
      return [{ text: ' · deliveries from the inbox', tone: 'dim' }]
    case 'starting':
      return [{ text: ' · a listener starts…', tone: 'dim' }]
    case 'closed':
      return [{ text: ' · listener closed', tone: 'warn' }]
    case 'listening':
      return [
        { text: ' · ', tone: 'dim' },
        { text: `${url}` },
        ...(targets.length === 0 ? [] : [{ text: ` → ${targets.join(', ')}` }]),
        ...(down.length > 0 ? [{ text: ' (unreachable)', tone: 'bad' as const }] : []),
      ]
  }
}

const levels = '▁▂▃▄▅▆▇█'

/** `▁▁▂▅█▂ 12/min   2xx 97.3 %   p95 45 ms`; nothing before the first delivery. */
function figurePieces({ rate, deliveries }: State): Piece[] {
  const { accepted, p95Ms } = answersOf(deliveries.rows)
  const highest = Math.max(1, ...rate.perMinute)
  const bars = Array.from({ length: MINUTES }, (_, index) => {
    const count = rate.perMinute[index] ?? 0
    return levels[count === 0 ? 0 : Math.max(1, Math.round((count / highest) * (levels.length - 1)))]
  })
  return [
    { text: bars.join(''), tone: 'accent' },
    { text: ` ${rate.perMinute.at(-1) ?? 0}/min` },
    ...(accepted === undefined
      ? []
      : [
          { text: '   2xx ', tone: 'dim' as const },
          { text: percent(accepted), tone: accepted < 1 ? ('bad' as const) : ('good' as const) },
        ]),
    ...(p95Ms === undefined
      ? []
      : [{ text: '   p95 ', tone: 'dim' as const }, { text: formatElapsed(p95Ms) }]),
  ]
}

/** Never 100 % when something was not accepted. */
function percent(share: number): string {
  if (share === 1) return '100 %'
  return `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
}

/** `onlyBad` leaves out what is 0, and what is fine. */
function countPieces({ operations, counts }: State, onlyBad = false): Piece[] {
  const running = operations.rows.filter((row) => !isSettled(row)).length
  const failed = operations.rows.filter(({ status }) => status === 'failed').length
  const bad = (count: number): Tone => (count > 0 ? 'bad' : 'dim')
  const all: readonly (readonly [text: string, tone: Tone, separator: string])[] = [
    [`${running} running`, running > 0 ? 'plain' : 'dim', ''],
    [`${failed} failed`, bad(failed), ', '],
    [`${counts.received} received`, 'plain', ' · '],
    [`${counts.refused} refused`, bad(counts.refused), ', '],
    [`${counts.forwardFailed} not accepted`, bad(counts.forwardFailed), ', '],
  ]
  return all
    .filter(([, tone]) => !onlyBad || tone === 'bad')
    .flatMap(([text, tone, separator], index): Piece[] => [
      ...(index === 0 ? [] : [{ text: separator, tone: 'dim' as const }]),
      { text, tone },
    ])
}
