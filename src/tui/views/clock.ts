/** `HH:MM:SS` of Unix milliseconds. */
export function clockTime(at: number, utc: boolean): string {
  const date = new Date(at)
  const parts = utc
    ? [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    : [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

/** `12 ms`, `3.4 s`, `70 s`, `12 m`, `3 h`, `2 d`: short, for a column. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 600_000) return `${Math.floor(ms / 1000)} s`
  if (ms < 36_000_000) return `${Math.floor(ms / 60_000)} m`
  if (ms < 259_200_000) return `${Math.floor(ms / 3_600_000)} h`
  return `${Math.floor(ms / 86_400_000)} d`
}
