/** Converts terminal input to key names. */
import type { Key } from 'ink'

/** Keys that arrive as one character when they are typed faster than they are read. */
const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u0003': 'interrupt',
  '\u0008': 'backspace',
  '\u007f': 'backspace',
}

/** The key names of one input; several when characters arrived faster than they were read. */
export function keysOf(input: string, key: Key): string[] {
  if (key.ctrl) return input === 'c' ? ['interrupt'] : []
  if (key.meta && !key.escape) return []
  const name = namedKey(key)
  return name === undefined ? [...input].map((character) => controls[character] ?? character) : [name]
}

function namedKey(key: Key): string | undefined {
  if (key.upArrow) return 'up'
  if (key.downArrow) return 'down'
  if (key.leftArrow) return 'left'
  if (key.rightArrow) return 'right'
  if (key.pageUp) return 'page-up'
  if (key.pageDown) return 'page-down'
  if (key.home) return 'home'
  if (key.end) return 'end'
  if (key.tab) return key.shift ? 'back-tab' : 'tab'
  if (key.return) return 'enter'
  if (key.escape) return 'escape'
  if (key.backspace || key.delete) return 'backspace'
  return undefined
}
