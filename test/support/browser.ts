/** Opens pages in the machine's headless Chromium. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import { chromium, devices, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'

const executablePath = '/usr/bin/chromium'

/** Switches off Chromium's own requests: every request left is the page's. */
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const screens = {
  'small phone': { width: 360, height: 640 },
  phone: devices['iPhone 13']?.viewport ?? { width: 390, height: 664 },
  desktop: { width: 1280, height: 800 },
}

export interface Visit {
  readonly page: Page
  /**
   * Problems that a browser's developer tools would show: errors and warnings on the console, exceptions, failed requests,
   * requests to another origin, documents without a Content-Security-Policy.
   */
  complaints(): readonly string[]
}

/**
 * A sentence that says why these tests cannot run here; undefined when they can. With BANKAPI_TEST_NO_SKIP=1 it throws
 * instead.
 */
export function missingBrowser(): string | undefined {
  if (existsSync(executablePath)) return undefined
  const reason = `${executablePath} is not installed (apt-get install chromium)`
  if (process.env['BANKAPI_TEST_NO_SKIP'] === '1') throw new Error(`No browser to test with: ${reason}`)
  return reason
}

export type Screen = keyof typeof screens

/** A browser with an empty profile, closed at the end of the test. Only requests to `origin` are allowed. */
export async function openBrowser(
  origin: string,
  screen: Screen = 'phone',
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Visit> {
  const profile = mkdtempSync(join(tmpdir(), 'bankapi-chromium-'))
  onTestFinished(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }))
  const phone = screen !== 'desktop'
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: quiet,
    viewport: screens[screen],
    colorScheme,
    isMobile: phone,
    hasTouch: phone,
  })
  onTestFinished(() => context.close())
  const page = context.pages()[0] ?? (await context.newPage())
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`))
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`))
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) complaints.push(`outside: ${request.url()}`)
  })
  page.on('response', (response) => {
    const document = response.request().resourceType() === 'document' && response.status() !== 303
    const policy = response.headers()['content-security-policy'] ?? ''
    if (document && !policy.startsWith("default-src 'none'")) complaints.push(`no policy: ${response.url()}`)
  })
  return { page, complaints: () => complaints }
}

/** What axe-core finds wrong with the page, best practices included: the rule, and where. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // Evaluated by the browser's debugger, so that the page's policy need not allow a script.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
  )
}

/** Names of the page's buttons as Chromium tells them to a screen reader, texts made by the style included. */
export async function buttonNames(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  return nodes
    .filter(({ role, ignored }) => role?.value === 'button' && !ignored)
    .map(({ name }) => String(name?.value).replace(/\s+/g, ' '))
}
