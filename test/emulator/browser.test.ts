import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { testInstitutions } from '../../src/emulator/institutions/test-institutions.ts'
import { buttonNames, missingBrowser, openBrowser } from '../support/browser.ts'
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
        await page.getByRole('list', { name: 'Test banks' }).getByRole('button').first().click()
        await sees('Sign in')
        expect(await page.getByText('Alder Trust').count()).toBe(1)
        await page.getByLabel('User name').fill('ada')
        await page.getByLabel('Password').fill('lovelace')
        await page.getByRole('button', { name: 'Sign in' }).click()
        await sees('Security question')
        await page.getByLabel('first school').fill('Elm Street')
        await page.getByRole('button', { name: 'Answer' }).click()
        await sees('Choose accounts')
        expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(3)
        await page.getByRole('checkbox', { name: /Savings/ }).uncheck()
        await page.getByRole('button', { name: /^Share/ }).click()
        await sees('Alder Trust needs you again')
        expect(await page.getByRole('listitem').count()).toBe(2)

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
      await expect.poll(() => heading(page)).toBe('Choose accounts')
      await page.getByRole('checkbox').first().focus()
      await page.keyboard.press('Space')
      expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
      await page.keyboard.press('Enter')
      await expect.poll(() => heading(page)).toContain('is connected')
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(4)
      expect(complaints()).toEqual([])
    })

    test('the button counts; nothing ticked asks again and stays so; all at once; cancelling links nothing', async () => {
      const emulator = await runningEmulator()
      const { widgetUrl } = await emulator.initiate('ins_fde_desktop')
      const { page, complaints } = await openBrowser(originOf(emulator))
      const ticked = () => page.getByRole('checkbox', { checked: true }).count()
      await page.goto(widgetUrl)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect.poll(() => buttonNames(page)).toEqual(['Select none', 'Share 3 accounts', 'Cancel'])
      const boxes = await page.getByRole('checkbox').all()
      await boxes[0]?.uncheck()
      await expect.poll(() => buttonNames(page)).toEqual(['Select all', 'Share 2 accounts', 'Cancel'])
      await boxes[1]?.uncheck()
      await expect.poll(() => buttonNames(page)).toContain('Share 1 account')
      await boxes[2]?.uncheck()
      await page.getByRole('button', { name: /^Share/ }).click()
      await expect.poll(() => page.getByRole('alert').textContent()).toBe('Choose at least one account.')
      expect(await ticked()).toBe(0)
      await page.getByRole('button', { name: 'Select all' }).click()
      await expect.poll(ticked).toBe(3)
      await page.getByRole('button', { name: 'Select none' }).click()
      await expect.poll(ticked).toBe(0)
      await page.getByRole('button', { name: 'Cancel' }).click()
      await expect.poll(() => heading(page)).toBe('First Fir Mutual was not connected')
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(3)
      await page.goto(widgetUrl)
      expect(await heading(page)).toBe('Sign in')
      expect(complaints()).toEqual([])
    })

    test('a user corrects a wrong user name: it is kept, the password is not, and the alert is in place', async () => {
      const emulator = await runningEmulator()
      const { widgetUrl } = await emulator.initiate('ins_a_ok')
      const { page, complaints } = await openBrowser(originOf(emulator))
      await page.goto(widgetUrl)
      await page.getByLabel('User name').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect.poll(() => page.getByRole('alert').textContent()).toContain('did not accept')
      expect(await page.getByLabel('User name').inputValue()).toBe('wrong')
      expect(await page.evaluate('document.activeElement.id')).toBe('username')
      expect(await page.getByLabel('Password').inputValue()).toBe('')
      await page.getByLabel('User name').fill('ada')
      await page.getByLabel('Password').fill('lovelace')
      await page.keyboard.press('Enter')
      await expect.poll(() => heading(page)).toBe('Choose accounts')
      await page.getByRole('button', { name: /^Share/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Bank is connected')
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(4)
      expect(complaints()).toEqual([])
    })

    test('what a visit to each misbehaving bank ends on is what the Connection then reads', async () => {
      const emulator = await runningEmulator()
      const { page, complaints } = await openBrowser(originOf(emulator))
      const ends: Record<string, string> = {}
      for (const { id } of testInstitutions) {
        const before = (await emulator.get('/clients/cli_demo/connections')).data.length
        await page.goto((await emulator.initiate(id)).widgetUrl)
        const next = page.locator('[value=continue]')
        while ((await next.count()) > 0 && (await page.getByRole('alert').count()) === 0) {
          const answer = page.getByLabel('first school')
          if ((await answer.count()) > 0) await answer.fill('Elm Street')
          const loaded = page.waitForEvent('load')
          await next.click()
          await loaded
        }
        ends[id] = `${await heading(page)}`
        await emulator.advance(2000)
        const [linked] = (await emulator.get('/clients/cli_demo/connections')).data.slice(before)
        expect([id, ends[id].includes('is connected')]).toEqual([id, linked?.status === 'active'])
        expect([id, ends[id].includes('needs you again')]).toEqual([id, linked?.status === 'requires_action'])
      }
      expect(Object.entries(ends).filter(([, end]) => !end.includes('is connected'))).toEqual([
        ['ins_a_mfa', 'Alder Trust needs you again'],
        ['ins_a_down', 'Alder Mutual is not available'],
        ['ins_b_denied', 'Sign in'],
        ['ins_b_locked', 'Birch Trust has locked your account'],
        ['ins_b_closed', 'Birch Mutual has closed your login'],
      ])
      expect(complaints()).toEqual([])
    })

    test('a bank that does not answer can be tried again, and connects once it does', async () => {
      const emulator = await runningEmulator()
      const { widgetUrl, connection } = await emulator.initiate('ins_a_down')
      const { page, complaints } = await openBrowser(originOf(emulator))
      const signIn = () => page.getByRole('button', { name: 'Sign in' }).click()
      await page.goto(widgetUrl)
      await signIn()
      await expect.poll(() => heading(page)).toBe('Alder Mutual is not available')
      await page.getByRole('button', { name: 'Try again' }).click()
      await signIn()
      await expect.poll(() => heading(page)).toBe('Alder Mutual is not available')
      await page.getByRole('button', { name: 'Try again' }).click()
      emulator.trigger({ type: 'bank.recovered', connection })
      await signIn()
      await page.getByRole('button', { name: /^Share/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Mutual is connected')
      await emulator.advance(2000)
      expect((await emulator.get('/clients/cli_demo/connections')).data.at(-1).status).toBe('active')
      expect(complaints()).toEqual([])
    })

    test('with a redirect_url the page says where the browser goes, stays a while, and the browser ends at the caller', async () => {
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
      await page.getByRole('button', { name: /^Share/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Bank is connected')
      expect(await page.getByRole('status').textContent()).toContain('Taking you to app.example')
      await expect.poll(() => heading(page), { timeout: 20_000 }).toBe('Back at the app')
      expect(page.url()).toBe('https://app.example/done')
    })

    test('whoever wants to stay on the last page stays', async () => {
      const emulator = await runningEmulator()
      await emulator.post('/settings/redirect-urls', { allowed_redirect_urls: ['https://app.example/done'] })
      const { url } = await emulator.post('/clients/cli_demo/connect-session', {
        redirect_url: 'https://app.example/done',
      })
      const { page, complaints } = await openBrowser(originOf(emulator))
      await page.goto(url)
      await page.getByRole('button', { name: 'Alder Bank', exact: true }).click()
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('button', { name: /^Share/ }).click()
      await page.getByRole('link', { name: 'Stay on this page' }).click()
      await expect.poll(() => page.getByRole('status').count()).toBe(0)
      expect(await heading(page)).toBe('Alder Bank is connected')
      expect(await page.getByRole('link').allTextContents()).toEqual(['Continue to app.example'])
      expect(complaints()).toEqual([])
    })

    test('the Back button shows the step before, and a reload of the last page repeats nothing', async () => {
      const emulator = await runningEmulator()
      const { widgetUrl } = await emulator.initiate('ins_a_mfa')
      const { page, complaints } = await openBrowser(originOf(emulator))
      const signIn = () => page.getByRole('button', { name: 'Sign in' }).click()
      await page.goto(widgetUrl)
      await page.getByLabel('User name').fill('wrong')
      await signIn()
      await expect.poll(() => page.getByRole('alert').count()).toBe(1)
      await page.getByLabel('User name').fill('ada')
      await page.getByLabel('Password').fill('lovelace')
      await signIn()
      await page.getByLabel('first school').fill('Elm Street')
      await page.getByRole('button', { name: 'Answer' }).click()
      await expect.poll(() => heading(page)).toBe('Choose accounts')
      for (const title of ['Security question', 'Sign in', 'Sign in']) {
        await page.goBack()
        expect(await heading(page)).toBe(title)
      }
      await signIn()
      await page.getByLabel('first school').fill('Elm Street')
      await page.getByRole('button', { name: 'Answer' }).click()
      await page.getByRole('button', { name: /^Share/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Trust needs you again')
      await page.reload()
      expect(await heading(page)).toBe('Alder Trust needs you again')
      await page.goBack()
      expect(await heading(page)).toBe('Alder Trust needs you again')
      expect((await emulator.get('/clients/cli_demo/connections')).data).toHaveLength(4)
      expect(complaints()).toEqual([])
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
      expect(await heading(page)).toBe('Reconnect')
      await page.getByLabel('User name').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect.poll(() => page.getByRole('alert').textContent()).toContain('did not accept')
      expect((await emulator.connection('con_AGGREGATOR_A_1001')).status).toBe('requires_action')
      await page.getByLabel('User name').fill('ada')
      await page.getByLabel('Password').fill('lovelace')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect.poll(() => buttonNames(page)).toEqual(['Reconnect', 'Cancel'])
      await page.getByRole('button', { name: /^Reconnect/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Bank is reconnected')
      expect((await emulator.connection('con_AGGREGATOR_A_1001')).status).toBe('active')
      expect(complaints()).toEqual([])
    })

    test('reauthorizing marks accounts that are new, and shares those that are ticked', async () => {
      const emulator = await runningEmulator()
      const id = 'con_AGGREGATOR_A_1001'
      const held = (await emulator.accounts(id)).length
      for (let times = 0; times < 2; times += 1) emulator.trigger({ type: 'account.opened', connection: id })
      const { action } = await emulator.post(`/connections/${id}/reauthorize`)
      const { page, complaints } = await openBrowser(originOf(emulator))
      const visit = async () => {
        await page.goto(action.reauth_url)
        await page.getByRole('button', { name: 'Sign in' }).click()
        await expect.poll(() => heading(page)).toBe('Choose accounts')
      }
      await visit()
      expect(await page.getByRole('checkbox', { name: 'New' }).count()).toBe(2)
      expect(await page.getByRole('listitem').count()).toBe(held)
      await expect.poll(() => buttonNames(page)).toContain('Reconnect and add 2 accounts')
      await page.getByRole('checkbox').first().uncheck()
      const chosen = await page.getByRole('checkbox', { checked: true }).getAttribute('value')
      await page.getByRole('button', { name: /^Reconnect/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Bank is reconnected')
      expect(await page.getByText('New', { exact: true }).count()).toBe(1)
      expect((await emulator.accounts(id)).slice(held).map((account) => account.id)).toEqual([chosen])

      await visit()
      await page.getByRole('checkbox').uncheck()
      await expect.poll(() => buttonNames(page)).toEqual(['Reconnect', 'Cancel'])
      await page.getByRole('button', { name: /^Reconnect/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Bank is reconnected')
      expect(await emulator.accounts(id)).toHaveLength(held + 1)

      await visit()
      await page.getByRole('button', { name: /^Reconnect/ }).click()
      await expect.poll(() => heading(page)).toBe('Alder Bank is reconnected')
      expect(await emulator.accounts(id)).toHaveLength(held + 2)
      expect(complaints()).toEqual([])
    })

    test('reauthorizing at a bank that has locked the account ends on that, also when signed in before', async () => {
      const emulator = await runningEmulator()
      const id = 'con_AGGREGATOR_A_1001'
      emulator.trigger({
        type: 'connection.requires_action',
        connection: id,
        code: 'account_locked_by_institution',
      })
      const { action } = await emulator.post(`/connections/${id}/reauthorize`)
      const { page } = await openBrowser(originOf(emulator))
      await page.goto(action.reauth_url)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect.poll(() => heading(page)).toBe('Alder Bank could not be reconnected')
      expect((await emulator.connection(id)).status).toBe('requires_action')
      const posted = await fetch(action.reauth_url, {
        method: 'POST',
        body: new URLSearchParams({ step: 'accounts' }),
      })
      expect(await posted.text()).toContain('could not be reconnected')
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
