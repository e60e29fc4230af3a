import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openInbox } from '../../src/inbox/open.ts'
import { createHome } from '../support/cli.ts'
import { startPythonReceiver } from '../support/python-receiver.ts'

const sender = fileURLToPath(new URL('../support/sender.py', import.meta.url))
const secret = 'whsec_4f1d2c9b8a7e6f5d4c3b2a1908f7e6d5'
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

it('a sender and a receiver in Python agree byte for byte over 1,000 random bodies', async () => {
  const receiver = await startPythonReceiver(secret)
  const home = createHome({ env: { BANKAPI_WEBHOOK_SECRET: secret } })
  const listener = home.start(['webhooks', 'listen', '--port', '0', '--json', '--forward', receiver.url])
  const { url } = JSON.parse(await listener.line()) as { url: string }
  const seed = String(Math.floor(Math.random() * 1e9))
  const child = spawn('python3', [sender, secret, url, '1000', seed], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const sent = (await text(child.stdout))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event_id: string; sha256: string; status: number })
  listener.process.kill('SIGINT')
  expect((await listener.ended).code).toBe(0)
  await receiver.stop()

  expect(sent, `seed ${seed}`).toHaveLength(1000)
  expect(sent.filter(({ status }) => status !== 200)).toEqual([])
  expect(receiver.received.filter(({ agrees }) => !agrees)).toEqual([])
  const hashes = sent.map((one) => one.sha256)
  expect(receiver.received.map(({ body }) => sha256(body))).toEqual(hashes)
  const inbox = openInbox({ path: join(home.env['BANKAPI_DATA_DIR'] ?? '', 'inbox.sqlite'), now: Date.now })
  expect(inbox.deliveries.list({ verified: true }).map(({ body }) => sha256(body))).toEqual(hashes)
  inbox.close()
})
