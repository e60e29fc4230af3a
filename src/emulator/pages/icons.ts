/** Icons as inline SVG, drawn with the colour of the text. For the eye only: what they say also stands in words. */
import { type Html, html } from './html.ts'

const paths = {
  search: 'M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20',
  chevron: 'm9 5 7 7-7 7',
  tick: 'm5 12.5 4.5 4.5L19 7.5',
  warning: 'M12 7.5v5.5m0 3.5v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z',
  cross: 'm7 7 10 10M17 7 7 17',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z',
  link: 'm9.5 14.5 5-5M11 7l1.5-1.5a4.2 4.2 0 0 1 6 6L17 13M7 11l-1.5 1.5a4.2 4.2 0 0 0 6 6L13 17',
} as const

export type IconName = keyof typeof paths

export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${paths[name]}"/></svg>`
}
