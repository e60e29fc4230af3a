/** The pictures of pages: two phones with hosted pages, in light and dark, and the console of the emulator. */
import { chromium, type Page } from 'playwright-core'
import { shownPage } from './shown.ts'
import { openStage, type Stage } from './stage.ts'

export interface WebPicture {
  /** As PNG; nothing when only the text is wanted. */
  readonly png?: Buffer
  readonly shown: string
}

const executablePath = '/usr/bin/chromium'
const phone = { width: 390, height: 780 }

interface Shot {
  readonly name: string
  readonly page: Page
}

/** Opens pages with the fixed time of the stage, hands them to `take`, and closes everything. */
async function withPages<T>(take: (stage: Stage, open: OpenPage) => Promise<T>): Promise<T> {
  const stage = await openStage()
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
  })
  try {
    return await take(stage, async (colorScheme, viewport, scale = 2) => {
      const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: scale })
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      return page
    })
  } finally {
    await browser.close()
    await stage.close()
  }
}

type OpenPage = (
  colorScheme: 'light' | 'dark',
  viewport: { readonly width: number; readonly height: number },
  scale?: number,
) => Promise<Page>

/** A user links a bank: chooses it, and later the accounts. */
export function phones(draw: boolean): Promise<WebPicture> {
  return withPages(async ({ home }, open) => {
    const client = ['--client', 'cli_demo']
    const { url } = await home.json<{ url: string }>(['connect-sessions', 'create', ...client])
    const choose = await open('light', phone)
    await choose.goto(url)
    await choose.getByRole('list').first().waitFor()

    const initiated = ['connections', 'initiate', ...client, '--institution', 'ins_a_ok', '--wait']
    const { result } = await home.json<{ result: { connection: { action: { widget_url: string } } } }>(
      initiated,
    )
    const share = await open('dark', phone)
    await share.goto(result.connection.action.widget_url)
    await share.getByLabel('Password').press('Enter')
    await share.getByRole('checkbox').first().waitFor()

    const shots = [
      { name: 'choose a bank, light', page: choose },
      { name: 'choose accounts, dark', page: share },
    ]
    const shown = (await Promise.all(shots.map(read))).join('')
    return draw
      ? { shown, png: await sideBySide(shots, await open('light', { width: 900, height: 900 }, 1.5)) }
      : { shown }
  })
}

async function read({ name, page }: Shot): Promise<string> {
  const tree = await page.locator('body').ariaSnapshot()
  return shownPage(name, tree, await page.content())
}

/** Each page on a phone, on a ground that is not there. */
async function sideBySide(shots: readonly Shot[], sheet: Page): Promise<Buffer> {
  const images = await Promise.all(
    shots.map(async ({ page }) => `data:image/png;base64,${(await page.screenshot()).toString('base64')}`),
  )
  const style = `body{margin:0;display:inline-flex;gap:36px;padding:6px}
    img{width:${phone.width - 60}px;border:9px solid #20242c;border-radius:44px;outline:1px solid #4a5261}`
  await sheet.setContent(`<style>${style}</style>${images.map((image) => `<img src="${image}">`).join('')}`)
  await sheet.waitForFunction('[...document.images].every(({ complete }) => complete)')
  return sheet.locator('body').screenshot({ omitBackground: true })
}
