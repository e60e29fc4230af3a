/** The look of every page in the browser: colours for light and dark, the card, what stands in it. Plain CSS, no script. */

/** The names of the colours, sizes and corners: `var(--accent)` and so on. */
export const tokens = `
:root {
  color-scheme: light dark;
  --ground: #f3f4f7; --card: #fff; --raised: #f7f8fa; --text: #171a21; --muted: #5a6170;
  --line: #e2e5eb; --field: #858c9a; --accent: #3350c9; --accent-strong: #2740a6; --on-accent: #fff; --chip: #eceef2;
  --good: #067647; --good-ground: #e3f6ec; --bad: #b42318; --bad-ground: #fdeceb; --warn: #7a4d00; --warn-ground: #fdf2d8;
  --corner: .75rem; --shadow: 0 1px 2px rgb(16 24 40 / .06), 0 8px 24px rgb(16 24 40 / .07);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d0f13; --card: #16191f; --raised: #1c2027; --text: #e8eaf0; --muted: #a3aab8;
    --line: #2a2f39; --field: #717a8a; --accent: #9db1ff; --accent-strong: #b7c6ff; --on-accent: #0f1630; --chip: #272c35;
    --good: #6fdda6; --good-ground: #122b1f; --bad: #ffb3aa; --bad-ground: #341614; --warn: #f0cd80; --warn-ground: #2b210d;
    --shadow: none;
  }
}`

/** Ground, strip, card, headings, buttons, alerts and chips. */
const frame = `
* { box-sizing: border-box; }
body {
  margin: 0; font: 1rem/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif;
  background: var(--ground); color: var(--text); overflow-wrap: anywhere; -webkit-text-size-adjust: 100%;
}
p, h1, h2, ul, fieldset { margin: 0; padding: 0; }
ul { list-style: none; }
fieldset { min-width: 0; border: 0; }
h1 { font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h2 { font-size: .8125rem; line-height: 1.25rem; font-weight: 600; color: var(--muted); }
a { color: var(--accent); }
.strip { padding: .3125rem 1rem; text-align: center; font-size: .8125rem; line-height: 1.25rem; background: var(--warn-ground); color: var(--warn); }
.card { width: 100%; max-width: 26.25rem; margin: 0 auto; padding: 1.5rem 1.25rem 2rem; background: var(--card); }
.muted { color: var(--muted); }
.small { font-size: .875rem; line-height: 1.25rem; }
.monogram { flex: none; width: 2.5rem; height: 2.5rem; }
.monogram text { font: 600 15px system-ui, sans-serif; letter-spacing: .02em; }
.icon { flex: none; width: 1.25rem; height: 1.25rem; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.chip { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .75rem; line-height: 1.25rem; font-weight: 500; background: var(--chip); color: var(--muted); }
.chip.good { background: var(--good-ground); color: var(--good); }
.alert { display: flex; gap: .625rem; padding: .75rem .875rem; border-radius: .5rem; background: var(--bad-ground); color: var(--bad); font-size: .9375rem; line-height: 1.375rem; }
.alert .icon { margin-top: .0625rem; }
button, .button {
  display: block; width: 100%; min-height: 3rem; padding: .6875rem 1rem; font: inherit; font-weight: 600; text-align: center; text-decoration: none;
  color: var(--on-accent); background: var(--accent); border: 1px solid transparent; border-radius: .625rem; cursor: pointer;
}
button:hover, .button:hover { background: var(--accent-strong); }
.quiet { font-weight: 500; color: var(--muted); background: transparent; border-color: transparent; }
.quiet:hover { color: var(--text); background: var(--raised); }
:focus-visible { outline: .1875rem solid var(--accent); outline-offset: .125rem; }
.hidden { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (min-width: 30rem) {
  body { padding-bottom: 3rem; }
  .card { margin-top: clamp(1.5rem, 8vh, 5rem); padding: 2rem; border: 1px solid var(--line); border-radius: 1rem; box-shadow: var(--shadow); }
}
@media (max-width: 29.99rem) { body { background: var(--card); } }`

/** What every page of the emulator has. Others append their own rules. */
export const frameStyle = `${tokens}${frame}\n`
