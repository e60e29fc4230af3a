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
