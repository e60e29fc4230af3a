/** Every hosted page on every screen, in light and dark, with names as long and as foreign as they come. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  cancelledPage,
  donePage,
  foreignForm,
  invalidLinkPage,
  refusedPage,
  unavailablePage,
} from '../../src/emulator/pages/closing-pages.ts'
import { connectPage } from '../../src/emulator/pages/connect-page.ts'
import { pageHeaders } from '../../src/emulator/pages/document.ts'
import { accountsPage, questionPage, signInPage } from '../../src/emulator/pages/widget-pages.ts'
import { accessibilityProblems, missingBrowser, openBrowser } from '../support/browser.ts'

const missing = missingBrowser()
const origin = 'http://pages.example'

const names = {
  'of 80 characters without a space':
    'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft',
  'of 80 characters': 'The Amalgamated Farmers, Merchants and Mechanics Savings Bank of Lower Saltmarsh.',
  'from right to left': 'بنك الأمل الوطني للتنمية والاستثمار والتجارة الخارجية (الفرع الرئيسي) 1 - 2',
}

/** Every page, with `name` wherever a name stands. */
function pagesWith(name: string): Record<string, string> {
  const account = (id: string, chosen: boolean) => ({
    id,
    name,
    kind: 'Money market',
    mask: '4821',
    balance: '−$238,411,000.90',
    chosen,
  })
  const accounts = [account('acc_1', true), account('acc_2', false)]
  const step = { action: '/widget/x', token: 'x', bank: { id: 'ins_x', name }, again: false, steps: 3 }
  const end = {
    bankName: name,
    again: false,
    returnTo: `https://${'long-label-of-a-host.'.repeat(6)}example/`,
  }
  const connect = {
    searchAction: '/connect',
    chooseAction: '/connect',
    token: 'x',
    query: name,
    ordinary: [{ id: 'ins_1', name }],
    total: 2,
    misbehaving: [{ id: 'ins_2', name, misbehaves: 'Needs desktop app' }],
    message: 'Choose a bank from the list.',
  }
  return {
    connect: connectPage(connect),
    'nothing found': connectPage({ ...connect, ordinary: [], total: 0, misbehaving: [] }),
    'sign in': signInPage({ ...step, note: `${name} has moved here.` }),
    'sign in again': signInPage({ ...step, again: true, message: 'Not accepted.', refusedName: name }),
    question: questionPage({ ...step, question: `Who lives at ${name}?` }),
    accounts: accountsPage({ ...step, message: 'Choose at least one account.', offered: accounts }),
    'more accounts': accountsPage({ ...step, again: true, offered: accounts, shared: accounts }),
    unavailable: unavailablePage(step),
    refused: refusedPage({ ...end, outcome: 'has locked your account', text: 'Nothing.', mark: 'lock' }),
    done: donePage({ ...end, shared: accounts.map((one) => ({ ...one, isNew: true })), stayAt: '/widget/x' }),
    attention: donePage({
      ...end,
      shared: accounts,
      attention: { outcome: 'needs you', text: 'The bank asks.' },
    }),
    cancelled: cancelledPage(end),
    'invalid link': invalidLinkPage,
    'foreign form': foreignForm.bytes,
  }
}

/** What is wider than its place: the document than the screen, or what an element holds than the element, which cuts it. */
const tooWide = (page: Page) =>
  page.evaluate<string[]>(`[
    ...(document.documentElement.scrollWidth > ${page.viewportSize()?.width} ? ['document'] : []),
    ...[...document.querySelectorAll('body *:not(.hidden, input, svg *)')]
      .filter((one) => getComputedStyle(one).overflowX === 'hidden' && one.scrollWidth > one.clientWidth)
      .map((one) => one.outerHTML.slice(0, 80)),
  ]`)

describe.skipIf(missing !== undefined)(`the look of the hosted pages${missing ? `: ${missing}` : ''}`, () => {
  const screens = (['small phone', 'phone', 'desktop'] as const).flatMap((screen) =>
    (['light', 'dark'] as const).map((scheme) => [screen, scheme] as const),
  )
  test.each(screens)(
    'on a %s in %s: nothing scrolls sideways whatever the names, and axe-core finds nothing',
    async (screen, scheme) => {
      const { page, complaints } = await openBrowser(origin, screen, scheme)
      let body = ''
      await page.route(`${origin}/`, (route) => route.fulfill({ body, headers: pageHeaders }))
      for (const [what, name] of Object.entries(names)) {
        for (const [title, document] of Object.entries(pagesWith(name))) {
          body = document
          await page.goto(`${origin}/`)
          const where = `${title}, a name ${what}`
          expect([where, await tooWide(page)]).toEqual([where, []])
          // Their colours and roles do not depend on the name.
          if (name === names['from right to left'])
            expect([where, await accessibilityProblems(page)]).toEqual([where, []])
          if (screen !== 'small phone' || scheme === 'dark') continue
          await page.evaluate("document.documentElement.style.fontSize = '200%'")
          expect([`${where}, text at 200 %`, await tooWide(page)]).toEqual([`${where}, text at 200 %`, []])
        }
      }
      expect(complaints()).toEqual([])
    },
  )

  test('a name from right to left leaves the words around it in their order', async () => {
    const { page } = await openBrowser(origin)
    const body = pagesWith(names['from right to left'])['cancelled'] ?? ''
    await page.route(`${origin}/`, (route) => route.fulfill({ body, headers: pageHeaders }))
    await page.goto(`${origin}/`)
    const isolation = "getComputedStyle(document.querySelector('h1 bdi')).unicodeBidi"
    expect(await page.evaluate(isolation)).toBe('isolate')
    expect(await page.title()).toBe(`\u2068${names['from right to left']}\u2069 was not connected`)
  })
})
