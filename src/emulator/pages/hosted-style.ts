/** The rules for what only the hosted pages have: the bank, fields, rows to choose from, the end of a visit. */

/** Accounts that the button counts; more are not counted. */
export const MAX_COUNTED = 6

/**
 * The button of the accounts form holds its text for each number of ticked boxes, and shows the one that is right: without a
 * script, and as text, which a screen reader gets, too (it does not get a CSS counter). The boxes are siblings, so that as many
 * in a row as are ticked can be matched.
 */
const counting = Array.from({ length: MAX_COUNTED }, (_, index) => {
  const ticked = `.accounts:has(${Array(index + 1)
    .fill('input:checked')
    .join('~')})`
  return `${ticked} .n${index} { display: none; }\n${ticked} .n${index + 1} { display: inline; }`
}).join('\n')

export const hostedStyle = `
.bank { display: flex; gap: .875rem; align-items: center; margin-bottom: 1.5rem; }
.bank .monogram { width: 3rem; height: 3rem; }
.bank div { min-width: 0; flex: 1; }
.bank p:first-child { font-weight: 600; line-height: 1.375rem; }
h1 + p, h1 + .alert { margin-top: .5rem; }
h1 + p { text-wrap: balance; }
.alert { margin-top: 1rem; }
form { margin-top: 1.25rem; }
.field { margin-top: 1rem; }
label, legend { font-weight: 600; font-size: .9375rem; }
input[type=text], input[type=search], input[type=password] {
  display: block; width: 100%; height: 3rem; padding: 0 .875rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--field); border-radius: .625rem; appearance: none;
}
::placeholder { color: var(--muted); opacity: 1; }
.field input { margin-top: .375rem; }
input:focus-visible { outline: .125rem solid var(--accent); outline-offset: -1px; border-color: var(--accent); }
input[aria-invalid] { border-color: var(--bad); }
.field .small { margin-top: .375rem; }
.actions { margin-top: 1.5rem; display: grid; gap: .25rem; }
.search { position: relative; display: flex; flex-wrap: wrap; gap: .5rem; }
.search .icon { position: absolute; left: .875rem; top: .875rem; color: var(--muted); pointer-events: none; }
.search input { padding-left: 2.75rem; min-width: 0; width: auto; flex: 1 1 9rem; }
.search button { width: auto; flex: none; color: var(--text); background: var(--card); border-color: var(--field); }
.search button:hover { background: var(--raised); }
.found { margin-top: .75rem; }
.banks { margin-top: 1.25rem; }
.banks h2 { margin-top: 1.5rem; }
.banks h2 + p { color: var(--muted); font-size: .8125rem; line-height: 1.25rem; }
.banks ul { margin: .5rem -.75rem 0; }
.banks button {
  display: flex; gap: .875rem; align-items: center; min-height: 3.5rem; padding: .5rem .75rem; text-align: start; font-weight: 500;
  color: inherit; background: transparent; border-radius: .625rem;
}
.banks button:hover { background: var(--raised); }
.banks .name { display: flex; flex-wrap: wrap; gap: .125rem .75rem; align-items: center; justify-content: space-between; min-width: 0; flex: 1; line-height: 1.375rem; }
.banks bdi { text-align: left; }
.banks .icon { color: var(--muted); width: 1rem; height: 1rem; }
.sharable { position: relative; margin-top: 1.25rem; }
.select { position: absolute; right: -.5rem; top: 0; margin: 0; }
.select button { width: auto; min-height: 0; padding: .125rem .5rem; font-size: .875rem; line-height: 1.25rem; color: var(--accent); }
.accounts, #select { margin: 0; }
.accounts legend, .legend { padding: 0; font-size: .875rem; line-height: 1.5rem; font-weight: 600; color: var(--muted); }
.sharable:has(.select) legend { max-width: calc(100% - 7rem); }
fieldset ~ .legend { margin-top: 1.25rem; }
.mask { white-space: nowrap; }
.rows { margin-top: .5rem; border: 1px solid var(--line); border-radius: var(--corner); overflow: hidden; }
.row { display: flex; flex-wrap: wrap; gap: 0 .875rem; align-items: center; min-height: 3rem; padding: .625rem .875rem; font-weight: 400; text-align: start; }
.row ~ .row { border-top: 1px solid var(--line); }
.choice { cursor: pointer; padding-left: 3.125rem; }
.choice:hover, input:focus-visible + .choice { background: var(--raised); }
.rows input { position: absolute; width: 1.25rem; height: 1.25rem; margin: 1.3125rem 0 0 .875rem; accent-color: var(--accent); }
.n1${Array.from({ length: MAX_COUNTED - 1 }, (_, index) => `, .n${index + 2}`).join('')} { display: none; }
.accounts:not(:has(:checked)) .needs { color: var(--muted); background: var(--chip); }
.sharable:has(.accounts [type=checkbox]:not(:checked)) [value=none], .sharable:not(:has(.accounts [type=checkbox]:not(:checked))) [value=all] { display: none; }
.row .icon { color: var(--good); }
.what { min-width: 0; flex: 1 1 8rem; }
.what bdi { font-weight: 500; font-size: 1rem; line-height: 1.375rem; }
.what .small { display: block; font-weight: 400; }
.what .chip { margin-left: .375rem; }
.balance { min-width: 0; margin-left: auto; overflow-wrap: break-word; text-align: end; font-variant-numeric: tabular-nums; font-weight: 500; font-size: .9375rem; }
.closing { text-align: center; }
.closing .rows { margin-top: 1.5rem; }
.mark { display: grid; place-items: center; width: 3.5rem; height: 3.5rem; margin: .5rem auto 1.25rem; border-radius: 50%; background: var(--chip); color: var(--muted); }
.mark .icon { width: 1.75rem; height: 1.75rem; stroke-width: 2; color: inherit; }
.mark.good { background: var(--good-ground); color: var(--good); }
.mark.bad { background: var(--bad-ground); color: var(--bad); }
.mark.warn { background: var(--warn-ground); color: var(--warn); }
.next { margin-top: 1.5rem; }
.next .button { margin-top: .75rem; }
${counting}
`

/** The rules for pages that explain: an error, a base, how the console is opened. */
export const placeStyle = `
.place { display: grid; gap: .75rem; }
.place h1.code { font-family: ui-monospace, 'DejaVu Sans Mono', monospace; font-size: 1.25rem; }
.place h2 { margin-top: .75rem; }
.place code { font: .875rem/1.375rem ui-monospace, 'DejaVu Sans Mono', monospace; }
.place pre { margin: 0; padding: .75rem .875rem; border-radius: .5rem; background: var(--raised); white-space: pre-wrap; }
.place dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .75rem 0 0; padding-top: .875rem; border-top: 1px solid var(--line); font-size: .875rem; }
.place dt { color: var(--muted); }
.place dd { margin: 0; }
`
