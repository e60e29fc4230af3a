/** How deep JSON is nested, without parsing it. Brackets inside strings count too: at worst, an unusual body counts as deeper. */
export function jsonDepth(body: Uint8Array): number {
  let level = 0
  let max = 0
  for (const byte of body) {
    if (byte === 0x7b || byte === 0x5b) max = Math.max(max, ++level)
    else if (byte === 0x7d || byte === 0x5d) level--
  }
  return max
}
