/**
 * Whether JSON is nested deeper than so many levels, without parsing it. Brackets inside strings count too: at worst, an
 * unusual body counts as deeper.
 */
export function isDeeperThan(levels: number, body: Uint8Array): boolean {
  let level = 0
  // An index, not an iterator: this runs over every byte of every delivery.
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]
    if (byte === 0x7b || byte === 0x5b) {
      if (++level > levels) return true
    } else if (byte === 0x7d || byte === 0x5d) level--
  }
  return false
}
