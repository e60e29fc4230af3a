import { Box } from 'ink'
import type { Detail } from '../state/model.ts'
import { Line } from './line.tsx'
import { cutEnd, toWidth, widthOf } from './text-width.ts'

/** The details of one row: as many of its lines as fit. */
export function DetailPane({ detail, width, lines }: { detail: Detail; width: number; lines: number }) {
  const { lines: all, top, focused, key, list } = detail
  const shown = all?.slice(top, top + lines) ?? ['reading…']
  const blank = Array.from({ length: Math.max(0, lines - shown.length) }, () => '')
  const kind = list === 'operations' ? 'Operation' : 'Delivery'
  const position = all === undefined ? '' : `${Math.min(all.length, top + lines)} of ${all.length} lines `
  const start = cutEnd(`${focused ? '▶' : ' '} ${kind} ${key} · ${position}`, width)
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
