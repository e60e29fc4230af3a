import xterm from '@xterm/headless'
import { describe, expect, it } from 'vitest'
import { type Line, readLines } from '../../scripts/pictures/cells.ts'
import { shownPage, shownScreens, withoutValues } from '../../scripts/pictures/shown.ts'
import { drawTerminal } from '../../scripts/pictures/svg.ts'

async function screen(...lines: readonly string[]): Promise<Line[]> {
  const terminal = new xterm.Terminal({ cols: 20, rows: lines.length, allowProposedApi: true })
  await new Promise<void>((resolve) => terminal.write(lines.join('\r\n'), resolve))
  return readLines(terminal)
}

const drawn = async (...screens: readonly string[]) =>
  drawTerminal({
    title: 'A <title>',
    columns: 20,
    digest: 'd1g357',
    frames: await Promise.all(screens.map(async (text) => ({ ms: 500, lines: await screen(text) }))),
  })

describe('the text of a screen', () => {
  it('has its words and its colours', async () => {
    const plain = shownScreens([await screen('ok 200')])
    expect(plain).toBe('── 1\nok 200\n')
    expect(shownScreens([await screen('ok \u001b[32m200\u001b[0m')])).toBe('── 1\nok ‹ink 2|200›\n')
    expect(shownScreens([await screen('ok \u001b[1;38;2;1;2;3m200\u001b[0m')])).toBe(
      '── 1\nok ‹bold, ink #010203|200›\n',
    )
  })

  it('leaves out what differs from run to run, and nothing else', () => {
    expect(withoutValues('10:19:05 evt_dc87088e7473731f83290000 on 127.0.0.1:4020 in 12 ms')).toBe(
      'TIME evt_ID on 127.0.0.1:PORT in DURATION',
    )
    expect(withoutValues('It is 2026-11-20T10:20:13.047Z; 2 jobs ran, 3 s ago, 4/120 s')).toBe(
      'It is 2026-11-20TTIMEZ; N jobs ran, AGE, PROGRESS',
    )
    const same = 'cli_demo con_FDE_123 -952.81 USD 2026-11-20 → 500 TypeError'
    expect(withoutValues(same)).toBe(same)
  })

  it('of a page changes with its style', () => {
    const page = (style: string) => shownPage('a page', ['Hi'], `<style>${style}</style><h1>Hi</h1>`)
    expect(page('h1{margin:1px}')).not.toBe(page('h1{margin:2px}'))
  })
})

describe('the drawing of a terminal', () => {
  it('places words by their column, in their colour', async () => {
    const svg = await drawn('a \u001b[31mred\u001b[0m word')
    expect(svg).toContain('<text x="16.8" y="13.5" textLength="25.2" style="fill:#f2777a">red</text>')
  })

  it('draws lines and blocks as shapes, without a gap between two', async () => {
    const svg = await drawn('──▄')
    expect(svg).not.toMatch(/<text[^>]*>[─▄]/)
    expect(svg).toContain('M12.6 9L16.8 9')
    expect(svg).toContain('<rect x="16.8" y="9" width="8.4" height="9"')
  })

  it('holds the content of a row once, however often it is shown', async () => {
    const svg = await drawn('one', 'two', 'one')
    expect(svg.match(/>one</g)).toHaveLength(1)
    expect(svg).toContain('0%{transform:none}33.33%{transform:translateY(-18px)}66.67%{transform:none}')
  })

  it('shows its last frame to who prefers no motion', async () => {
    const svg = await drawn('one', 'two')
    expect(svg).toContain('.r0{transform:translateY(-18px);')
    expect(svg).toContain('@media(prefers-reduced-motion:reduce){g{animation:none!important}}')
  })

  it('writes text as text', async () => {
    expect(await drawn('<b>&"')).toContain('>&lt;b&gt;&amp;&quot;</text>')
  })
})
