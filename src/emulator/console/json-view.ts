/** Shows JSON indented, with its keys and values told apart; JSON that was cut, too. */
import { type Html, html } from '../pages/html.ts'

const token = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*|[a-z]+|[{}[\],:]|\s+|./gs
/** Deeper than this nothing is indented further. */
const MAX_INDENT = 12

/** Text that does not begin like JSON stays as it is. */
export function jsonView(text: string): Html {
  if (!/^\s*[{[]/.test(text)) return html`<pre class="body" tabindex="0">${text}</pre>`
  const tokens = (text.match(token) ?? []).filter((one) => one.trim() !== '')
  let depth = 0
  const parts: Html[] = []
  const line = () => parts.push(html`${`\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`}`)
  for (const [index, one] of tokens.entries()) {
    const next = tokens[index + 1]
    if (one === '{' || one === '[') {
      parts.push(html`${one}`)
      depth += 1
      if (next !== '}' && next !== ']') line()
    } else if (one === '}' || one === ']') {
      depth = Math.max(0, depth - 1)
      if (tokens[index - 1] !== '{' && tokens[index - 1] !== '[') line()
      parts.push(html`${one}`)
    } else if (one === ',') {
      parts.push(html`,`)
      line()
    } else if (one === ':') parts.push(html`: `)
    else parts.push(value(one, next === ':'))
  }
  return html`<pre class="body" tabindex="0">${parts}</pre>`
}

function value(one: string, isKey: boolean): Html {
  const kind = isKey ? 'k' : one.startsWith('"') ? 's' : /^[-\d]/.test(one) ? 'n' : 'l'
  return html`<span class="${kind}">${one}</span>`
}
