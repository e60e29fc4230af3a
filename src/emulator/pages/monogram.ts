/** The picture of a bank without a logo: its initials on a colour of its own, as inline SVG. */
import { type Html, html } from './html.ts'

/** The colour follows from the id, so that banks of one name can be told apart. For the eye only: the name stands beside it. */
export function monogram(id: string, name: string): Html {
  return html`<svg class="monogram" viewBox="0 0 40 40" aria-hidden="true"><rect width="40" height="40" rx="10" fill="oklch(0.5 0.12 ${hueOf(id)})"/><text x="20" y="20" dy=".35em" text-anchor="middle" fill="#fff">${initialsOf(name)}</text></svg>`
}

/** The first letters of the first two words that have one. */
export function initialsOf(name: string): string {
  return name
    .split(/\s+/)
    .flatMap((word) => /[\p{L}\p{N}]/u.exec(word)?.[0] ?? [])
    .slice(0, 2)
    .join('')
    .toUpperCase()
}

/** 0 to 359, by FNV-1a: ids that differ in one letter differ in colour. */
function hueOf(id: string): number {
  let hash = 0x811c9dc5
  for (const character of id) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return hash % 360
}
