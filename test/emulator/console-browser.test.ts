/** The console in a browser: what it drives, what it shows by itself, and how it looks at every size. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  accessibilityProblems,
  missingBrowser,
  openBrowser,
  type Screen,
  type Visit,
} from '../support/browser.ts'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

const missing = missingBrowser()
const originOf = (emulator: TestEmulator) => new URL(emulator.sandbox.base_url).origin

async function openConsole(
  emulator: TestEmulator,
  screen: Screen = 'desktop',
  scheme: 'light' | 'dark' = 'light',
) {
  const visit = await openBrowser(originOf(emulator), screen, scheme)
  await visit.page.goto(emulator.consoleUrl)
  await expect.poll(() => visit.page.locator('#live').textContent()).toBe('Live')
  return visit
}

/** Without what was being read when a page was left. */
const problems = ({ complaints }: Visit) => complaints().filter((one) => !one.startsWith('failed: '))

const said = (page: Page) => page.locator('#said').textContent()

describe.skipIf(missing !== undefined)(`the console in a browser${missing ? `: ${missing}` : ''}`, () => {
  test('drives the clock, a trigger and a replay, and shows each without being loaded again', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed'])
    listener.answer(500)
    const visit = await openConsole(emulator)
    const { page } = visit
    expect(page.url()).toBe(`${originOf(emulator)}/`)
    await page.evaluate('window.unchanged = true')

    await page.getByRole('button', { name: '1 h' }).click()
    await expect.poll(() => page.locator('#clock').textContent()).toBe('2026-03-10 13:00:00')
    expect(emulator.status().clock).toBe('2026-03-10T13:00:00.000Z')
    expect(await said(page)).toMatch(/^It is 2026-03-10 13:00:00 now\./)

    await page.getByLabel('Trigger something for con_FDE_123').first().click()
    await page.getByRole('button', { name: 'The bank is down' }).click()
    const row = page.locator('#connections-sandbox > li', { hasText: 'con_FDE_123' })
    await expect.poll(() => row.locator('.state').textContent()).toBe('failed')
    expect((await emulator.connection('con_FDE_123')).status).toBe('failed')
    expect(await page.locator('details.menu[open]').count()).toBe(0)
    await emulator.advance(0)
    const delivery = page.locator('#delivery-1')
    await expect.poll(() => delivery.locator('.status').textContent()).toBe('500')

    await page.getByRole('link', { name: 'GET' }).first().click()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('#delivery-1 a').click()
    await expect
      .poll(() => page.getByRole('heading', { level: 2, name: 'connection.failed' }).count())
      .toBe(1)
    const signature = listener.deliveries[0]?.headers['x-ls-webhook-signature']
    expect(await page.locator('.attempts').textContent()).toContain(signature)
    listener.answer(200)
    await page.getByRole('button', { name: 'Replay' }).click()
    await expect.poll(() => page.url()).toBe(`${originOf(emulator)}/console/deliveries/2`)
    await emulator.advance(0)
    await expect.poll(() => page.locator('#detail .status').first().textContent()).toBe('200')
    expect(listener.deliveries).toHaveLength(2)
    expect(problems(visit)).toEqual([])
  })

  test('shows a request as it comes in, leaves focus and an open menu alone, and says when it is refused', async () => {
    const emulator = await runningEmulator()
    const visit = await openConsole(emulator)
    const { page } = visit
    await page.evaluate('window.unchanged = true')
    const menu = page.getByLabel('Trigger something for con_FDE_123').first()
    await menu.focus()
    await page.keyboard.press('Enter')
    await emulator.get('/clients?limit=7')
    await expect
      .poll(() => page.locator('#request-rows .what').first().textContent())
      .toBe('/v3/clients?limit=7')
    expect(await page.evaluate("document.activeElement.closest('details').open")).toBe(true)
    await page.keyboard.press('Escape')
    expect(await page.evaluate("[window.unchanged, document.activeElement.closest('details').open]")).toEqual(
      [true, false],
    )

    await menu.click()
    emulator.trigger({ type: 'connection.disconnected', connection: 'con_FDE_123' })
    await page.getByRole('button', { name: 'A pending charge settles' }).first().click()
    await expect.poll(() => said(page)).not.toBe('')
    expect(problems(visit).filter((one) => !one.includes('status of 400'))).toEqual([])
  })

  test('an open menu stays as it is until it closes, whatever becomes of its Connection', async () => {
    const emulator = await runningEmulator()
    const { page } = await openConsole(emulator)
    const menu = page.locator('details.menu', { has: page.getByLabel('Trigger something for con_FDE_123') })
    await menu.first().locator('summary').click()
    const offer = menu.first().getByRole('button', { name: 'A capability changes' })
    await offer.focus()
    const row = page.locator('#connections-sandbox > li', { hasText: 'con_FDE_123' })
    for (const type of ['connection.requires_action', 'connection.disconnected'] as const) {
      const state = type.slice('connection.'.length)
      emulator.trigger({ type, connection: 'con_FDE_123' })
      await expect.poll(() => row.locator('.state').textContent()).toBe(state)
      expect(await page.evaluate('document.activeElement.value')).toBe('capability')
      expect(await offer.textContent()).toBe('A capability changes connection.capability_changed')
    }
    await page.keyboard.press('Escape')
    await expect.poll(() => menu.first().getByRole('button', { includeHidden: true }).count()).toBe(1)
    expect(await page.evaluate("document.activeElement.matches('summary')")).toBe(true)
  })

  test.each(['small phone', 'desktop'] as const)(
    'on a %s the end of an id stays in sight',
    async (screen) => {
      const emulator = await runningEmulator()
      const listener = await emulator.listen(['connection.failed'])
      listener.answer(500)
      emulator.trigger({ type: 'connection.failed', connection: 'con_AGGREGATOR_A_1001' })
      await emulator.advance(15_000)
      const { page } = await openConsole(emulator, screen)
      const subject = page.locator('#delivery-1 .id')
      expect(await subject.textContent()).toBe('con_AGGREGATOR_A_1001')
      const [row, end] = [page.locator('#delivery-1 .more'), subject.locator('span').last()]
      const right = (box: { x: number; width: number } | null) => (box?.x ?? 0) + (box?.width ?? 0)
      expect(await end.textContent()).toBe('R_A_1001')
      expect(right(await end.boundingBox())).toBeLessThanOrEqual(right(await row.boundingBox()))
      expect(
        await page.evaluate(
          "[...document.querySelectorAll('#delivery-1 .more')].every((one) => one.scrollWidth <= one.clientWidth)",
        ),
      ).toBe(true)
    },
  )

  test.each([
    [320, 568],
    [360, 640],
    [1280, 900],
  ])(
    'on %d × %d an opened menu is in sight, and no button covers or breaks a text',
    async (width, height) => {
      const emulator = await runningEmulator()
      const { page } = await openConsole(emulator, width < 1000 ? 'small phone' : 'desktop')
      await page.setViewportSize({ width, height })
      const tall =
        "[...document.querySelectorAll('.clock form button[name=ms]')].filter((one) => one.offsetHeight > 40).length"
      expect(await page.evaluate(tall)).toBe(0)
      const covered = `[...document.querySelectorAll('.connection')].filter((row) => {
      const button = row.querySelector('summary').getBoundingClientRect()
      return [...row.querySelectorAll('.ids > *')].some((one) => {
        const text = one.getBoundingClientRect()
        return text.right > button.left && text.top < button.bottom
      })
    }).length`
      expect(await page.evaluate(covered)).toBe(0)
      const menu = page.locator('details.menu').last()
      await menu.locator('summary').focus()
      await page.keyboard.press('Enter')
      const bottom =
        "[...document.querySelectorAll('details.menu[open] button')].at(-1)?.getBoundingClientRect().bottom ?? Infinity"
      await expect.poll(() => page.evaluate(bottom)).toBeLessThanOrEqual(height)
    },
  )

  test('keeps the time of a clock that runs', async () => {
    const emulator = await runningEmulator({ realTime: true })
    const { page } = await openConsole(emulator)
    const time = () => page.locator('#clock').textContent()
    const first = await time()
    await expect.poll(time).not.toBe(first)
    expect(Math.abs(Date.parse(`${(await time())?.replace(' ', 'T')}Z`) - Date.now())).toBeLessThan(3000)
  })

  test('says when the emulator has ended, and what to do when another took its place', async () => {
    const emulator = await runningEmulator()
    const { page } = await openConsole(emulator)
    await page.context().clearCookies()
    await page.reload()
    await expect
      .poll(() => page.getByRole('heading', { level: 1 }).textContent())
      .toBe('The emulator’s console')
    await page.goto(emulator.consoleUrl)
    await emulator.stop()
    await expect.poll(() => page.locator('#live').textContent()).toBe('The emulator does not answer')
  })

  test("its address opens it when another site's page links to it", async () => {
    const emulator = await runningEmulator()
    const { page } = await openBrowser(originOf(emulator), 'desktop')
    await page.route('http://elsewhere.example/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: `<a href="${emulator.consoleUrl}">The console</a>` }),
    )
    await page.goto('http://elsewhere.example/')
    await page.getByRole('link', { name: 'The console' }).click()
    await expect.poll(() => page.locator('#connections-sandbox > li').count()).toBeGreaterThan(0)
    expect(page.url()).toBe(`${originOf(emulator)}/`)
  })

  test("another site's page neither drives it nor reads it", async () => {
    const emulator = await runningEmulator()
    const { page } = await openConsole(emulator)
    const origin = originOf(emulator)
    const token = await page.locator('input[name=token]').first().inputValue()
    await page.route('http://evil.example/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<form method="post" action="${origin}/console/advance"><input name="token" value="${token}"><button name="ms" value="3600000">A cat</button></form>
<iframe src="${origin}/"></iframe>`,
      }),
    )
    await page.goto('http://evil.example/')
    expect(
      await page.evaluate(
        `fetch('${origin}/', { credentials: 'include' }).then(() => 'read', () => 'refused')`,
      ),
    ).toBe('refused')
    expect(await page.frames()[1]?.content()).not.toContain('con_FDE_123')
    await page.getByRole('button', { name: 'A cat' }).click()
    await expect.poll(() => page.textContent('body')).toContain('Only a page of the console may do this')
    expect(emulator.status().clock).toBe('2026-03-10T12:00:00.000Z')
  })

  test.each(
    (['small phone', 'phone', 'desktop'] as const).flatMap((screen) =>
      (['light', 'dark'] as const).map((scheme) => [screen, scheme] as const),
    ),
  )('on a %s, %s: nothing is wider than the screen, axe-core finds nothing', async (screen, scheme) => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['connection.failed', 'connection.requires_action'])
    listener.answer(500)
    await emulator.post('/clients', { name: `${'W'.repeat(80)}\u202e${'ש'.repeat(40)}` })
    await emulator.call('GET', `/clients?external_id=${'w'.repeat(300)}`)
    await emulator.initiate('ins_b_ok')
    emulator.trigger({ type: 'connection.failed', connection: 'con_FDE_123' })
    await emulator.advance(0)
    emulator.faults.add({ pattern: 'GET /nothing', status: 503 })
    const visit = await openConsole(emulator, screen, scheme)
    const { page } = visit
    const origin = originOf(emulator)
    for (const path of [
      '/',
      '/console/requests/2',
      '/console/requests/3',
      '/console/deliveries/1',
      '/v3',
      '/errors/not_found',
    ]) {
      await page.goto(`${origin}${path}`)
      if (path === '/') await page.locator('.menu summary').nth(1).click()
      const wide = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth')
      expect([path, wide]).toEqual([path, false])
      expect([path, await accessibilityProblems(page)]).toEqual([path, []])
    }
    expect(problems(visit)).toEqual([])
  })
})
