import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { portable } from '../support/shell.ts'
import { shownScreens } from './shown-screens.ts'

const page = new URL('../../docs/link-a-bank.md', import.meta.url)
const emulator = emulatorShell(['--auto-link', '2s'])

/** To update the page: BANKAPI_DOCS_WRITE=1 npm run test:only test/docs/link-a-bank.test.ts */
it('docs/link-a-bank.md shows the real output', async () => {
  const text = readFileSync(page, 'utf8')
  const { page: written, shown, real } = await shownScreens(text, emulator, 100)
  expect(real.length).toBeGreaterThan(5)
  expect(real.join('')).not.toContain('[exit')
  const comparable = (block: string) =>
    portable(block.replaceAll(/\/widget\/\w+|token=\w+|--cursor \w+/g, '…'), emulator.home.folder)
      .replaceAll(/-?[\d,]+\.\d\d( [A-Z]{3})?/g, 'MONEY')
      .replaceAll(/\bnow(?= {2}|$)|\b\d+ (s|min) ago/gm, 'AGE')
      .replaceAll(/ {2,}/g, '  ')
  if (process.env['BANKAPI_DOCS_WRITE'] === '1') writeFileSync(page, written)
  else expect(real.map(comparable)).toEqual(shown.map(comparable))
})
