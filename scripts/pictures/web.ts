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
const phone = { width: 390, height: 740 }
const desktop = { width: 1280, height: 760 }

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

/** The console with requests that came in, of which one failed, and deliveries that went out, one of them twice. */
export function emulatorConsole(draw: boolean): Promise<WebPicture> {
  return withPages(async ({ home, receiver }, open) => {
    const { console_url: url } = await home.json<{ console_url: string }>(['emulator', 'status'])
    const listen = ['webhooks', 'listen', '--port', '0', '--forward', `localhost:${receiver.port}`]
    const listener = home.start(listen)
    await listener.line((line) => line.startsWith('Ready'))
    const trigger = (type: string, connection: string) =>
      home.json(['emulator', 'trigger', type, '--connection', connection])
    await home.json(['connections', 'list'])
    await home.json(['accounts', 'list', '--connection', 'con_FDE_123'])
    await home.json(['transactions', 'list', 'acc_FDE_12301', '--limit', '25'])
    await home.run(['connections', 'get', 'con_FDE_999'])
    await trigger('connection.requires_action', 'con_AGGREGATOR_B_2001')
    await trigger('connection.active', 'con_AGGREGATOR_B_2001')
    await trigger('statement.available', 'con_AGGREGATOR_A_1001')
    await receiver.answered(3)
    receiver.failures = 1
    await trigger('connection.disconnected', 'con_FDE_123')
    await receiver.answered(4)

    const page = await open('light', desktop, 1.5)
    await page.goto(url)
    await page.getByRole('region', { name: 'Deliveries' }).getByText('500').first().waitFor()
    await page.getByText('Live', { exact: true }).first().waitFor()
    const shown = await read({ name: 'the console, light', page })
    return draw ? { shown, png: await page.screenshot() } : { shown }
  })
}

async function read({ name, page }: Shot): Promise<string> {
  const sheets = await page.locator('link[rel=stylesheet]').all()
  const styles = await Promise.all(
    sheets.map(async (sheet) => {
      const address = new URL((await sheet.getAttribute('href')) ?? '', page.url())
      return (await page.request.get(address.href)).text()
    }),
  )
  const html = [await page.content(), ...styles].join('\n')
  return shownPage(name, await page.evaluate<string[]>(visibleTexts), html)
}

/** Runs in the page: the texts that are shown, and what stands in its fields, in order. */
const visibleTexts = `(() => {
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  while (walker.nextNode()) {
    const node = walker.currentNode
    const element = node instanceof Element ? node : node.parentElement
    if (!element.checkVisibility()) continue
    if (node instanceof HTMLInputElement && node.type !== 'hidden')
      texts.push(node.type + (node.type === 'checkbox' ? (node.checked ? ' ☑' : ' ☐') : ': ' + (node.value || node.placeholder)))
    else if (node instanceof Text && node.data.trim() !== '') texts.push(node.data.trim())
  }
  return texts
})()`

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
