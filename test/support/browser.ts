/** A headless Chromium, driven over its DevTools protocol. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Where one is installed on this machine; undefined: nowhere known. */
export const chromium = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path))

export interface Browser {
  /** Goes to an address and waits until the page is loaded. */
  open(url: string): Promise<void>
  /** What an expression is worth in the page, once it is neither undefined, null, false nor empty; waits up to 10 s. */
  until<T>(expression: string): Promise<T>
  /** Clicks the first element that fits, as a user would, and waits for the page that follows. */
  click(selector: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  /** What the browser complained about: violations of the page's own policy, failed loads, exceptions. */
  readonly complaints: string[]
}

/** Ended with the current test. `width` of the window in CSS pixels. */
export async function startBrowser(width = 390): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'bankapi-chromium-'))
  const process = spawn(
    chromium ?? 'chromium',
    [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  onTestFinished(async () => {
    const ended = once(process, 'exit')
    process.kill('SIGKILL')
    await ended
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  const devtools = await connect(await addressOf(process))
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true })
  const page = (method: string, parameters: object = {}) =>
    devtools.send(method, parameters, sessionId as string)
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page(`${domain}.enable`)
  await page('Emulation.setDeviceMetricsOverride', {
    width,
    height: 800,
    deviceScaleFactor: 1,
    mobile: width < 600,
  })

  const until: Browser['until'] = async <T>(expression: string) => {
    const deadline = Date.now() + 10_000
    for (;;) {
      const { result } = await page('Runtime.evaluate', { expression, returnByValue: true }).catch(() => ({
        result: {},
      }))
      const { value } = result as { value?: unknown }
      if (value !== undefined && value !== null && value !== false && value !== '') return value as T
      if (Date.now() > deadline) throw new Error(`not in the page: ${expression}`)
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
  }
  const loaded = async (move: () => Promise<unknown>) => {
    const finished = devtools.next('Page.loadEventFired')
    await move()
    await finished
  }
  return {
    complaints: devtools.complaints,
    until,
    open: (url) => loaded(() => page('Page.navigate', { url })),
    async click(selector) {
      const element = `document.querySelector(${JSON.stringify(selector)})`
      await until(element.replace(/$/, ' !== null'))
      const [x, y] = await until<[number, number]>(
        `(() => { const e = ${element}; e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect();` +
          ' return [b.x + b.width / 2, b.y + b.height / 2] })()',
      )
      const mouse = { x, y, button: 'left', clickCount: 1 }
      await loaded(async () => {
        await page('Input.dispatchMouseEvent', { ...mouse, type: 'mousePressed' })
        await page('Input.dispatchMouseEvent', { ...mouse, type: 'mouseReleased' })
      })
    },
    async type(selector, text) {
      await page('Runtime.evaluate', {
        expression: `document.querySelector(${JSON.stringify(selector)}).focus()`,
      })
      await page('Input.insertText', { text })
    },
  }
}

async function addressOf(process: ChildProcess): Promise<string> {
  let said = ''
  for await (const chunk of process.stderr ?? []) {
    said += String(chunk)
    const address = /ws:\/\/\S+/.exec(said)?.[0]
    if (address) return address
  }
  throw new Error(`Chromium did not start: ${said}`)
}

type Answer = Record<string, unknown>

async function connect(address: string) {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', reject)
  })
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>()
  const expected = new Map<string, () => void>()
  const complaints: string[] = []
  let sent = 0
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as {
      id?: number
      method?: string
      result?: Answer
      error?: { message: string }
      params?: Answer
    }
    if (message.id !== undefined) {
      const { resolve, reject } = waiting.get(message.id) ?? {}
      waiting.delete(message.id)
      if (message.error) reject?.(new Error(message.error.message))
      else resolve?.(message.result ?? {})
      return
    }
    const { method = '', params } = message
    if (['Log.entryAdded', 'Runtime.exceptionThrown', 'Network.loadingFailed'].includes(method)) {
      complaints.push(JSON.stringify(params))
    }
    expected.get(method)?.()
  })
  return {
    complaints,
    send: (method: string, params: object = {}, sessionId?: string) =>
      new Promise<Answer>((resolve, reject) => {
        sent += 1
        waiting.set(sent, { resolve, reject })
        socket.send(JSON.stringify({ id: sent, method, params, ...(sessionId ? { sessionId } : {}) }))
      }),
    /** Resolves at the next event of this name. */
    next: (method: string) =>
      new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`no ${method} in 15 s`)), 15_000)
        expected.set(method, () => {
          clearTimeout(late)
          expected.delete(method)
          resolve()
        })
      }),
  }
}
