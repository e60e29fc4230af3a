/** Reads values of Postgres as the mirror's rows have them: exact, and the same on every machine. */

/** Type ids of Postgres. */
const BOOL = 16
const BYTEA = 17
const INT8 = 20
const TIMESTAMPTZ = 1184
/** int2, int4, oid, float4, float8. */
const numbers: readonly number[] = [21, 23, 26, 700, 701]

/** For a pool: numbers as far as JavaScript has them exactly, booleans, UTC times as ISO-8601; all else as its text. */
export const readTypes = {
  getTypeParser(type: number): (text: string) => unknown {
    if (type === BOOL) return (text) => text === 't'
    if (type === INT8 || numbers.includes(type)) return number
    if (type === TIMESTAMPTZ) return time
    if (type === BYTEA) return (text) => text.replace(/^\\x/, '')
    return (text) => text
  },
}

function number(text: string): number | string {
  const value = Number(text)
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : text
}

/** `2026-03-01 12:00:00.5+00`, as a session in UTC gets it, to `2026-03-01T12:00:00.500Z`. */
function time(text: string): string {
  const parts = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text)
  if (parts === null) return text
  const [, day, clock, fraction = ''] = parts
  return `${day}T${clock}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
}
