/** Names of the keys that are no characters. Any other key is the character itself. */
export const namedKeys = [
  'up',
  'down',
  'left',
  'right',
  'page-up',
  'page-down',
  'home',
  'end',
  'tab',
  'back-tab',
  'enter',
  'escape',
  'backspace',
  'interrupt',
] as const

export interface KeyHint {
  readonly keys: string
  readonly does: string
}

/** Every key, for the help. */
export const allKeys: readonly KeyHint[] = [
  { keys: '↑ ↓ j k', does: 'move; the newest row is followed until you do' },
  { keys: 'PgUp PgDn', does: 'move by a page' },
  { keys: 'g G', does: 'first row; last row, and follow the newest again' },
  { keys: 'Tab', does: 'operations, deliveries, detail' },
  { keys: 'Enter', does: 'show the selected row whole' },
  { keys: 'Esc', does: 'close, or clear the search' },
  { keys: '/', does: 'search: id, type, subject, status; n and N go on and back' },
  { keys: 'f', does: 'filter by type, status, verdict' },
  { keys: 'r', does: 'send the selected delivery to the target again' },
  { keys: 'R', does: 'refresh the selected connection (asks first)' },
  { keys: 'c', does: 'copy the id' },
  { keys: 'o', does: 'open the documentation of the error' },
  { keys: 'p', does: 'pause: the screen stands still, nothing is lost' },
  { keys: '? q', does: 'this help; quit' },
]
