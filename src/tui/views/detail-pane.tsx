import { Box } from 'ink'
import type { Detail } from '../state/model.ts'
import { cutEnd, toWidth, widthOf } from './cell.ts'
import { Line } from './line.tsx'

/** One row, whole: as many of its lines as fit. */
export function DetailPane({ detail, width, lines }: { detail: Detail; width: number; lines: number }) {
  const { lines: all, top, focused, key, list } = detail
  const shown = all?.slice(top, top + lines) ?? ['reading…']
  const blank = Array.from({ length: Math.max(0, lines - shown.length) }, () => '')
  const what = list === 'operations' ? 'Operation' : 'Delivery'
  const place = all === undefined ? '' : `${Math.min(all.length, top + lines)} of ${all.length} lines `
  const start = cutEnd(`${focused ? '▶' : ' '} ${what} ${key} · ${place}`, width)
  return (
    <Box flexDirection='column' width={width}>
      <Line
        pieces={[
          { text: start, tone: focused ? 'strong' : 'plain' },
          { text: '─'.repeat(Math.max(0, width - widthOf(start))), tone: 'dim' },
        ]}
      />
      {[...shown, ...blank].map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text
        <Line key={index} pieces={[{ text: toWidth(` ${text}`, width) }]} />
      ))}
    </Box>
  )
}
