import { possible } from '../state/asking.ts'
import type { State } from '../state/model.ts'
import { toWidth } from './cell.ts'
import { Line, type Tone } from './line.tsx'

/** The last line: a question, what is typed, what just happened, and the keys that work now. */
export function StatusBar({ state, width }: { state: State; width: number }) {
  const { text, tone } = content(state)
  return <Line pieces={[{ text: toWidth(text, width), tone }]} />
}

function content(state: State): { text: string; tone: Tone } {
  const { mode, notice } = state
  switch (mode.kind) {
    case 'search':
      return { text: `/${state[state.front].search}█  Enter keep  Esc back`, tone: 'strong' }
    case 'filter':
      return { text: '↑↓ field  ←→ value  x clear  Enter keep  Esc back', tone: 'plain' }
    case 'confirm-refresh': {
      const live = state.about.live ? ' LIVE' : ''
      return { text: `Refresh${live} ${mode.connectionId}? It uses the daily budget. y/n`, tone: 'warn' }
    }
    case 'help':
      return { text: 'any key closes  q quit', tone: 'plain' }
    case 'browse':
      break
  }
  if (notice !== undefined) {
    const tone = notice.tone === 'plain' ? 'strong' : notice.tone
    return { text: `${notice.tone === 'bad' ? '! ' : ''}${notice.text}`, tone }
  }
  return { text: keys(state).join('  '), tone: 'plain' }
}

/** By how much they are needed: the last ones are cut off first. */
function keys(state: State): string[] {
  const can = possible(state)
  const { detail } = state
  return [
    '? help',
    'q quit',
    detail?.focused ? 'Esc close' : 'Enter show',
    ...(can.replay ? ['r replay'] : []),
    ...(can.refresh ? ['R refresh'] : []),
    ...(can.open ? ['o open'] : []),
    state.paused === undefined ? 'p pause' : 'p go on',
    '/ search',
    'f filter',
    'c copy',
    'Tab next',
  ]
}
