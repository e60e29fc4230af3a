/**
 * The pictures of docs/pictures/ show what the program shows. Each is taken again, and its text compared: words, colours, numbers of
 * fixed data, structure. Pixels are not. To make them anew: npm run pictures
 */
import { globSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { digestOf } from '../../scripts/pictures/shown.ts'
import { pictures } from '../../scripts/pictures.ts'
import { missingBrowser } from '../support/browser.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'docs', 'pictures')
const read = (file: string): string => readFileSync(join(folder, file), 'utf8')

const maxBytes = 1_500_000

describe.each(pictures)('docs/pictures/$file', ({ file, needsBrowser, shown }) => {
  const missing = needsBrowser ? missingBrowser() : undefined

  it.skipIf(missing !== undefined)(
    'shows what the program shows',
    { timeout: 120_000, tags: ['slow'] },
    async () => {
      expect(await shown(), 'run `npm run pictures` and commit').toBe(read(`${file}.txt`))
    },
  )

  it('was drawn together with its text', () => {
    const digest = digestOf(read(`${file}.txt`))
    const mark = file.endsWith('.svg') ? `data-shows="${digest}"` : `tEXtshows\0${digest}`
    expect(readFileSync(join(folder, file), 'latin1')).toContain(mark)
  })

  it('is on a page, with words for those who cannot see it', () => {
    const pages = ['README.md', ...globSync('docs/*.md', { cwd: root })]
    const images = pages.flatMap((page) => [
      ...readFileSync(join(root, page), 'utf8').matchAll(
        /!\[(?<words>.*?)\]\((?:docs\/)?pictures\/(?<name>[\w.]+)\)|<img src="(?:docs\/)?pictures\/(?<tagged>[\w.]+)".*? alt="(?<alt>.*?)"/g,
      ),
    ])
    const ours = images
      .map(({ groups: { words, name, tagged, alt } = {} }) => ({
        name: name ?? tagged,
        words: words ?? alt ?? '',
      }))
      .filter(({ name }) => name === file)
    expect(ours.length).toBeGreaterThan(0)
    expect(ours.filter(({ words }) => words.length < 20)).toEqual([])
  })
})

it('the pictures are few and small, and every file belongs to one', () => {
  const files = readdirSync(folder)
  expect(files.sort()).toEqual(pictures.flatMap(({ file }) => [file, `${file}.txt`]).sort())
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
  expect(bytes).toBeLessThanOrEqual(maxBytes)
})

it('the SVGs need nothing from elsewhere, and run no script', () => {
  const drawings = pictures.filter(({ file }) => file.endsWith('.svg'))
  expect(drawings.length).toBeGreaterThan(0)
  for (const { file } of drawings) {
    expect(read(file).replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /<script|<foreignObject|href=|url\(|@import/,
    )
  }
})
