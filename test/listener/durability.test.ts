import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openInbox } from '../../src/inbox/open.ts'
import { type PythonReceiver, startPythonReceiver } from '../support/python-receiver.ts'
import { deliver, eventBody, secret } from '../support/test-listener.ts'

const script = fileURLToPath(new URL('../support/listener-process.ts', import.meta.url))
let folder: string
let path: string
const children: ChildProcess[] = []
const receivers: PythonReceiver[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bankapi-durable-'))
  path = join(folder, 'inbox.sqlite')
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const receiver of receivers.splice(0)) await receiver.stop()
  rmSync(folder, { recursive: true })
})

async function startProcess(...target: string[]): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, [script, path, secret, ...target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: line.toString().trim(), child }
}

async function startReceiver(...flags: string[]): Promise<PythonReceiver> {
  const receiver = await startPythonReceiver(secret, ...flags)
  receivers.push(receiver)
  return receiver
}

/** As the service does it: until it gets a 2xx. Returns whether this attempt got one. */
async function attempt(url: string, eventId: string): Promise<boolean> {
  try {
    return (await deliver(url, eventBody(eventId))).ok
  } catch {
    return false
  }
}

test('kill -9 at random moments loses no event, and the inbox has each exactly once', async () => {
  const receiver = await startReceiver()
  const ids = Array.from({ length: 300 }, (_, at) => `evt_${at}`)
  const pending = new Set(ids)
  let killed = 0
  for (let start = 0; pending.size > 0 && start < 20; start++) {
    const { url, child } = await startProcess(receiver.url)
    if (killed < 4) {
      killed++
      void delay(30 + Math.random() * 120).then(() => child.kill('SIGKILL'))
    }
    const queue = [...pending]
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
          if (await attempt(url, id)) pending.delete(id)
        }
      }),
    )
    child.kill('SIGKILL')
  }
  expect([...pending]).toEqual([])
  expect(killed).toBe(4)
  const reached = new Set(
    receiver.received.map(({ body }) => (JSON.parse(String(body)) as { event_id: string }).event_id),
  )
  expect(reached.size).toBe(ids.length)
  expect(receiver.received.every(({ agrees }) => agrees)).toBe(true)

  const inbox = openInbox({ path, now: Date.now })
  const kept = inbox.deliveries.list({ duplicates: false }).map(({ eventId }) => eventId)
  expect(kept.toSorted()).toEqual(ids.toSorted())
  expect(inbox.deliveries.list({ failed: true })).toEqual([])
  inbox.close()
  const database = new DatabaseSync(path)
  expect(Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})).toEqual(['ok'])
  database.close()
})

test('kill -9 under a flood of forged deliveries loses nothing that was acknowledged', async () => {
  const acknowledged: string[] = []
  const forged = Buffer.alloc(200_000, 'x')
  for (let start = 0; start < 3; start++) {
    const { url, child } = await startProcess()
    let killed = false
    const until = async (send: (at: number) => Promise<unknown>) => {
      for (let at = 0; !killed; at++) await send(at).catch(() => undefined)
    }
    const sending = [
      until(async () => (await fetch(url, { method: 'POST', body: forged })).text()),
      until(async () => (await fetch(url, { method: 'POST', body: forged })).text()),
      until(async (at) => {
        const id = `evt_${start}_${at}`
        if (await attempt(url, id)) acknowledged.push(id)
      }),
    ]
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan((start + 1) * 40)
    child.kill('SIGKILL')
    killed = true
    await Promise.all(sending)
  }
  const inbox = openInbox({ path, now: Date.now })
  const kept = new Set(inbox.deliveries.list({ verified: true }).map(({ eventId }) => eventId))
  expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
  expect(inbox.deliveries.list({ verified: false }).length).toBeGreaterThan(0)
  inbox.close()
}, 60_000)

test('a delivery is in the inbox before its target hears of it', async () => {
  const receiver = await startReceiver('--delay', '30')
  const { url, child } = await startProcess(receiver.url)
  const answer = attempt(url, 'evt_1')
  await expect.poll(() => receiver.received.length).toBe(1)
  child.kill('SIGKILL')
  expect(await answer).toBe(false)
  const inbox = openInbox({ path, now: Date.now })
  expect(inbox.deliveries.list({ failed: true })).toMatchObject([
    { eventId: 'evt_1', verified: true, forwardTo: receiver.url, forwards: [] },
  ])
  inbox.close()
})

test('two listeners write to one inbox: nothing is lost, and of a repeat exactly one is none', async () => {
  // Both open, and create, the file at the same time.
  const [one, two] = await Promise.all([startProcess(), startProcess()])
  const ids = Array.from({ length: 200 }, (_, at) => `evt_${at}`)
  const answers = await Promise.all(ids.flatMap((id) => [attempt(one.url, id), attempt(two.url, id)]))
  expect(answers.every(Boolean)).toBe(true)
  const inbox = openInbox({ path, now: Date.now })
  expect(inbox.deliveries.list()).toHaveLength(400)
  const firsts = inbox.deliveries.list({ duplicates: false }).map(({ eventId }) => eventId)
  expect(firsts.toSorted()).toEqual(ids.toSorted())
  inbox.close()
})
