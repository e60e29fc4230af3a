import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { openInbox } from '../../src/inbox/open.ts'
import { bin } from '../support/built-program.ts'
import { createHome } from '../support/cli.ts'
import { freePort } from '../support/free-port.ts'
import { deliver, secret } from '../support/test-listener.ts'

const full = '/dev/full'

it.skipIf(!existsSync(full)).each([['lines'], ['json', '--json']])(
  'a listener whose stdout is on a full disk goes on, and says so once on stderr (%s)',
  async (_name, ...flags) => {
    const home = createHome({ env: { BANKAPI_WEBHOOK_SECRET: secret } })
    const port = String(await freePort())
    const listener = spawn(process.execPath, [bin, 'webhooks', 'listen', '--port', port, ...flags], {
      env: home.env,
      stdio: ['ignore', openSync(full, 'w'), 'pipe'],
    })
    onTestFinished(() => void listener.kill('SIGKILL'))
    let stderr = ''
    listener.stderr?.on('data', (chunk) => (stderr += String(chunk)))
    const ended = once(listener, 'exit')
    const url = `http://127.0.0.1:${port}/`
    const answered = () =>
      deliver(url).then(
        ({ status }) => status,
        () => undefined,
      )
    await expect.poll(answered, { timeout: 20_000, interval: 100 }).toBe(200)
    for (let at = 0; at < 20; at++) expect(await answered()).toBe(200)
    listener.kill('SIGINT')
    expect(await ended).toEqual([0, null])
    expect(stderr.match(/stdout cannot be written/g)).toHaveLength(1)
    expect(stderr).toContain('ENOSPC')
    const inbox = openInbox({ path: `${home.env['BANKAPI_DATA_DIR']}/inbox.sqlite`, now: Date.now })
    onTestFinished(() => inbox.close())
    expect(inbox.deliveries.list({ verified: true }).length).toBeGreaterThanOrEqual(21)
  },
)

it.skipIf(!existsSync(full))('nor does it end when stderr is on that disk, too', async () => {
  const home = createHome({ env: { BANKAPI_WEBHOOK_SECRET: secret } })
  const port = String(await freePort())
  const fd = openSync(full, 'w')
  const listener = spawn(process.execPath, [bin, 'webhooks', 'listen', '--port', port], {
    env: home.env,
    stdio: ['ignore', fd, fd],
  })
  onTestFinished(() => void listener.kill('SIGKILL'))
  const answered = () =>
    deliver(`http://127.0.0.1:${port}/`).then(
      ({ status }) => status,
      () => undefined,
    )
  await expect.poll(answered, { timeout: 20_000, interval: 100 }).toBe(200)
  expect(await answered()).toBe(200)
  const ended = once(listener, 'exit')
  listener.kill('SIGINT')
  expect(await ended).toEqual([0, null])
})

it('a --trusted-proxy that is no address is refused', async () => {
  const home = createHome({ env: { BANKAPI_WEBHOOK_SECRET: secret } })
  const { code, stderr } = await home.run(['webhooks', 'listen', '--trusted-proxy', 'proxy.example'])
  expect(code).toBe(2)
  expect(stderr).toContain('"proxy.example" is not an IP address')
})
