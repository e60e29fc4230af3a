import { Box } from 'ink'
import type { State } from '../state/model.ts'
import { isSettled } from '../state/operation-row.ts'
import { Line, type Piece, type Tone } from './line.tsx'
import { cutEnd, widthOf } from './text-width.ts'

/** The environment, the listener and the counts; on one line when there is no room for two. */
export function Header({ state, width, lines }: { state: State; width: number; lines: number }) {
  const environment = environmentPieces(state)
  const used = environment.reduce((sum, { text }) => sum + widthOf(text), 0)
  const counts = countPieces(state)
  if (lines === 1) {
    return <Line pieces={cutPieces([...environment, { text: ' · ' }, ...counts], width)} />
  }
  return (
    <Box flexDirection='column'>
      <Line
        pieces={[
          ...cutPieces(environment, width),
          { text: cutEnd(listenerText(state), Math.max(0, width - used)) },
        ]}
      />
      <Line pieces={cutPieces(counts, width)} />
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
      : { text: about.environment, tone: 'strong' },
    { text: ` ${about.keyPrefix ?? '(no key)'}` },
    ...(paused === undefined
      ? []
      : [{ text: ` ‖ PAUSED${paused.missed > 0 ? `, ${paused.missed} new` : ''}`, tone: 'warn' } as const]),
  ]
}

function listenerText({ listener }: State): string {
  const { url, targets, down } = listener
  switch (listener.state) {
    case 'none':
      return ' · deliveries from the inbox'
    case 'closed':
      return ' · listener closed'
    case 'listening': {
      const target = targets.length === 0 ? '' : ` → ${targets.join(', ')}`
      return ` · ${url}${target}${down.length > 0 ? ' (unreachable)' : ''}`
    }
  }
}

function countPieces({ operations, counts }: State): Piece[] {
  const running = operations.rows.filter((row) => !isSettled(row)).length
  const failed = operations.rows.filter(({ status }) => status === 'failed').length
  const bad = (count: number): Tone => (count > 0 ? 'bad' : 'plain')
  return [
    { text: `${running} running` },
    { text: `, ${failed} failed`, tone: bad(failed) },
    { text: ` · ${counts.received} received` },
    { text: `, ${counts.refused} refused`, tone: bad(counts.refused) },
    { text: `, ${counts.forwardFailed} not accepted`, tone: bad(counts.forwardFailed) },
  ]
}

/** The pieces as far as they fit. */
function cutPieces(pieces: readonly Piece[], width: number): Piece[] {
  let left = width
  return pieces.map((piece) => {
    const text = cutEnd(piece.text, left)
    left = Math.max(0, left - widthOf(text))
    return { ...piece, text }
  })
}
