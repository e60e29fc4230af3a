import { describe, expect, test } from 'vitest'
import { chromium, startBrowser } from '../support/browser.ts'
import { runningEmulator } from '../support/running-emulator.ts'

describe.skipIf(chromium === undefined)('the hosted pages in a browser', () => {
  test.each([390, 1200])(
    '%i pixels wide: from the pick-and-connect link to connection.active, without a complaint',
    async (width) => {
      const emulator = await runningEmulator()
      const listener = await emulator.listen(['connection.active'])
      const { url } = await emulator.post('/clients/cli_demo/connect-session')
      const browser = await startBrowser(width)
      await browser.open(url)
      expect(await browser.until('document.querySelector("h1").textContent')).toBe('Connect your bank')
      await browser.type('input[name=q]', 'security question')
      await browser.click('form[role=search] button')
      await browser.click('button[value=ins_a_mfa]')
      expect(await browser.until('document.querySelector("h1").textContent')).toContain(
        'Sign in to Alder Bank',
      )
      expect(await browser.until('document.documentElement.scrollWidth <= window.innerWidth')).toBe(true)
      await browser.click('button[value=continue]')
      await browser.type('input[name=answer]', 'Elm Street')
      await browser.click('button[value=continue]')
      expect(await browser.until('document.querySelectorAll("input[type=checkbox]:checked").length')).toBe(3)
      await browser.click('button[value=continue]')
      expect(await browser.until('document.querySelector("h1").textContent')).toContain('is connected')
      await emulator.advance(0)
      expect(listener.data('connection.active')).toHaveLength(1)
      expect(browser.complaints.filter((one) => !one.includes('favicon'))).toEqual([])
    },
  )

  test('every field has a label and every page a language, a title and one heading', async () => {
    const emulator = await runningEmulator()
    const { widgetUrl } = await emulator.initiate('ins_fde_desktop')
    const { url } = await emulator.post('/clients/cli_demo/connect-session')
    const { action } = await emulator.post('/connections/con_FDE_123/reauthorize')
    const browser = await startBrowser()
    for (const address of [url, widgetUrl, action.reauth_url, `${url}x`]) {
      await browser.open(address)
      const page = await browser.until<Record<string, unknown>>(`({
        language: document.documentElement.lang,
        title: document.title !== '',
        headings: document.querySelectorAll('h1').length,
        unlabelled: [...document.querySelectorAll('input:not([type=hidden])')].filter((e) => e.labels.length === 0).length,
        scripts: document.scripts.length,
        outside: performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith(location.origin)).length,
      })`)
      expect(page).toEqual({
        language: 'en',
        title: true,
        headings: 1,
        unlabelled: 0,
        scripts: 0,
        outside: 0,
      })
    }
  })
})
