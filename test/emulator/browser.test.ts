import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { missingBrowser, openBrowser } from '../support/browser.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const missing = missingBrowser()
const minute = 60_000

const originOf = (emulator: TestEmulator) => new URL(emulator.sandbox.base_url).origin
const heading = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

/** What has to hold for every page, as the browser sees it. */
const structure = (page: Page) =>
  page.evaluate(`({
    language: document.documentElement.lang,
    titled: document.title !== '',
    headings: document.querySelectorAll('h1').length,
    unlabelled: [...document.querySelectorAll('input:not([type=hidden])')].filter((field) => field.labels.length === 0).length,
    scripts: document.scripts.length,
    styled: getComputedStyle(document.body).marginTop === '0px',
    scrollsSideways: document.documentElement.scrollWidth > screen.width,
  })`)

const sound = {
  language: 'en',
  titled: true,
  headings: 1,
  unlabelled: 0,
  scripts: 0,
  styled: true,
  scrollsSideways: false,
}

describe.skipIf(missing !== undefined)(
  `the hosted pages in a browser${missing ? `: ${missing}` : ''}`,
  () => {
    test.each(['phone', 'desktop'] as const)(
      'on a %s: search a bank, choose it, sign in, answer, choose accounts, done; then connection.active',
      async (screen) => {
        const emulator = await runningEmulator()
        const listener = await emulator.listen(['connection.requires_action', 'connection.active'])
        const { url } = await emulator.post('/clients/cli_demo/connect-session')
        const { page, complaints } = await openBrowser(originOf(emulator), screen)
        const sees = async (title: string) => {
          await expect.poll(() => heading(page)).toContain(title)
          expect(await structure(page)).toEqual(sound)
        }

        await page.goto(url)
        await sees('Connect your bank')
        // The pick-and-connect page never collects bank credentials.
        expect(await page.locator('input[type=password]').count()).toBe(0)
        await page.getByLabel('Bank name').fill('security question')
        await page.getByRole('button', { name: 'Search' }).click()
        await page.getByRole('list', { name: 'Banks' }).getByRole('button').first().click()
        await sees('Sign in to Alder Bank')
        await page.getByLabel('User name').fill('ada')
        await page.getByLabel('Password').fill('lovelace')
        await page.getByRole('button', { name: 'Sign in' }).click()
        await sees('asks a security question')
        await page.getByLabel('first school').fill('Elm Street')
        await page.getByRole('button', { name: 'Answer' }).click()
        await sees('Choose the accounts to share')
        expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(3)
        await page.getByRole('checkbox', { name: /Savings/ }).uncheck()
        await page.getByRole('button', { name: 'Share these accounts' }).click()
        await sees('is connected')

        await emulator.advance(0)
        expect(listener.types().sort()).toEqual(['connection.active', 'connection.requires_action'])
        const [{ connection }] = listener.data('connection.active')
        const shared = await emulator.accounts(connection.id)
        expect(shared.map(({ name }) => name)).toEqual(['Checking', 'Credit Card'])
        expect(complaints()).toEqual([])
      },
    )

    test('works by keyboard alone', async () => {
      const emulator = await runningEmulator()
      const { widgetUrl } = await emulator.initiate('ins_b_ok')
      const { page, complaints } = await openBrowser(originOf(emulator), 'desktop')
      await page.goto(widgetUrl)
      await page.getByLabel('Password').focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => heading(page)).toBe('Choose the accounts to share')
      await page.getByRole('checkbox').first().focus()
      await page.keyboard.press('Space')
      expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
      await page.keyboard.press('Enter')
      await expect.poll(() => heading(page)).toContain('is connected')
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(4)
      expect(complaints()).toEqual([])
    })

    test('nothing ticked asks again, cancelling links nothing, the link can be opened again', async () => {
      const emulator = await runningEmulator()
      const { widgetUrl } = await emulator.initiate('ins_fde_desktop')
      const { page, complaints } = await openBrowser(originOf(emulator))
      await page.goto(widgetUrl)
      await page.getByRole('button', { name: 'Sign in' }).click()
      for (const box of await page.getByRole('checkbox').all()) await box.uncheck()
      await page.getByRole('button', { name: 'Share these accounts' }).click()
      await expect.poll(() => page.getByRole('alert').textContent()).toBe('Choose at least one account.')
      await page.getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(() => heading(page)).toContain('was not connected')
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(3)
      await page.goto(widgetUrl)
      expect(await heading(page)).toContain('Sign in to')
      expect(complaints()).toEqual([])
    })

    test('with a redirect_url the browser ends at the caller, and only then leaves', async () => {
      const emulator = await runningEmulator()
      await emulator.post('/settings/redirect-urls', { allowed_redirect_urls: ['https://app.example/done'] })
      const { url } = await emulator.post('/clients/cli_demo/connect-session', {
        redirect_url: 'https://app.example/done',
      })
      const { page, complaints } = await openBrowser(originOf(emulator))
      await page.route('https://app.example/**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<h1>Back at the app</h1>' }),
      )
      await page.goto(url)
      await page.getByRole('button', { name: 'Alder Bank', exact: true }).click()
      await page.getByRole('button', { name: 'Sign in' }).click()
      expect(complaints()).toEqual([])
      await page.getByRole('button', { name: 'Share these accounts' }).click()
      await expect.poll(() => heading(page)).toBe('Back at the app')
      expect(page.url()).toBe('https://app.example/done')
    })

    test("another site's page cannot send its form", async () => {
      const emulator = await runningEmulator()
      const { widgetUrl } = await emulator.initiate('ins_a_ok')
      const { page } = await openBrowser(originOf(emulator))
      await page.route('http://evil.example/**', (route) =>
        route.fulfill({
          contentType: 'text/html',
          body: `<form method="post" action="${widgetUrl}"><button name="account_id" value="all">A cat</button></form>`,
        }),
      )
      await page.goto('http://evil.example/')
      await page.getByRole('button', { name: 'A cat' }).click()
      await expect.poll(() => heading(page)).toBe('This form came from another site')
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(3)
    })

    test('reauthorizing repairs a connection from the page', async () => {
      const emulator = await runningEmulator()
      emulator.trigger({ type: 'connection.requires_action', connection: 'con_AGGREGATOR_A_1001' })
      const { action } = await emulator.post('/connections/con_AGGREGATOR_A_1001/reauthorize')
      const { page, complaints } = await openBrowser(originOf(emulator))
      await page.goto(action.reauth_url)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: 'Share these accounts' }).click()
      await expect.poll(() => heading(page)).toContain('is connected')
      expect((await emulator.connection('con_AGGREGATOR_A_1001')).status).toBe('active')
      expect(complaints()).toEqual([])
    })

    test.each(['tampered', 'expired', 'revoked'])(
      'a link that is %s shows the static error page',
      async (how) => {
        const emulator = await runningEmulator()
        const { url, sid } = await emulator.post('/clients/cli_demo/connect-session')
        const address = new URL(url)
        if (how === 'tampered') address.searchParams.set('token', `${sid}x`)
        if (how === 'expired') await emulator.advance(30 * minute)
        if (how === 'revoked') await emulator.call('DELETE', `/clients/cli_demo/connect-session/${sid}`)
        const { page, complaints } = await openBrowser(originOf(emulator))
        const response = await page.goto(address.href)
        expect(response?.status()).toBe(404)
        expect(await heading(page)).toBe('This link does not work')
        expect(await structure(page)).toEqual(sound)
        expect(await page.locator('form, a, button, input').count()).toBe(0)
        // Chromium notes the status of the page itself; there is nothing else.
        expect(
          complaints().filter((one) => !one.includes('the server responded with a status of 404')),
        ).toEqual([])
      },
    )

    test('a link that is revoked while its page is open leads to the error page', async () => {
      const emulator = await runningEmulator()
      const { url, sid } = await emulator.post('/clients/cli_demo/connect-session')
      const { page } = await openBrowser(originOf(emulator))
      await page.goto(url)
      await emulator.call('DELETE', `/clients/cli_demo/connect-session/${sid}`)
      await page.getByRole('button', { name: 'Alder Bank', exact: true }).click()
      await expect.poll(() => heading(page)).toBe('This link does not work')
    })
  },
)
