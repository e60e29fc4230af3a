import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { Database, isDiskFull } from '../../src/emulator/store/database.ts'
import { temporaryFolder } from '../support/machine.ts'
import { type RequestTemplate, requestTemplates } from '../support/request-templates.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const child = fileURLToPath(new URL('../support/emulator-child.ts', import.meta.url))

/** An emulator that can write no file beyond so many KiB: to it the disk is full there. */
async function startLimited(dataDir: string, kibibytes: number) {
  const limited = ['-c', 'ulimit -S -f "$0" && exec "$@"', String(kibibytes)]
  const running = spawn('bash', [...limited, process.execPath, child, dataDir, '{}'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void running.kill('SIGKILL'))
  const [line] = (await once(createInterface(running.stdout), 'line')) as [string]
  const { sandbox } = JSON.parse(line) as { sandbox: { base_url: string; api_key: string } }
  const send = async (
    method: string,
    path: string,
    body?: string,
    headers: RequestTemplate['headers'] = [],
  ) => {
    const response = await fetch(new URL(path, sandbox.base_url), {
      method,
      headers: [
        ...headers
          .filter(([name]) => name.startsWith('X-'))
          .map(([name, value]): [string, string] => [name, value]),
        ['authorization', `Bearer ${sandbox.api_key}`],
        ['content-type', 'application/json'],
      ],
      ...(body === undefined ? {} : { body }),
    })
    return { status: response.status, text: await response.text() }
  }
  return {
    send,
    makeRoom: () => execFileSync('prlimit', ['--pid', String(running.pid), '--fsize=unlimited']),
  }
}

test('on a full disk every read is answered as before, a change is 507 and done when there is room again', async () => {
  const dataDir = temporaryFolder()
  const first = await runningEmulator({ memory: false, dataDir, realTime: true })
  const reads = (await requestTemplates(first)).filter(({ method }) => method === 'GET')
  const { url } = await first.post('/clients/cli_demo/connect-session')
  const { widgetUrl } = await first.initiate('ins_a_ok')
  await first.stop()

  const { send, makeRoom } = await startLimited(dataDir, 200)
  const initiate = ['POST', '/v3/clients/cli_demo/connections', '{"institution_id":"ins_a_ok"}'] as const
  while ((await send(...initiate)).status === 202);
  // Longer than the pause after which a use of the key is noted again, and than the widgets' jobs are due.
  const deadline = Date.now() + 2500
  const statuses = new Map<RequestTemplate, number>()
  do {
    expect(await send(...initiate)).toMatchObject({ status: 507, text: expect.stringContaining('is full') })
    for (const read of reads) {
      const { status } = await send('GET', read.target, undefined, read.headers)
      statuses.set(read, status)
    }
    const wrong = [...statuses].filter(([{ success }, status]) => status !== success)
    expect(wrong.map(([{ name }, status]) => `${name} ${status}`)).toEqual([])
    for (const page of [url, widgetUrl]) {
      const { pathname, search } = new URL(page)
      expect((await send('GET', `${pathname}${search}`)).status).toBe(200)
    }
  } while (Date.now() < deadline)

  makeRoom()
  const made = await send(...initiate)
  expect(made.status).toBe(202)
  const { operation_id } = JSON.parse(made.text)
  const read = async () => JSON.parse((await send('GET', `/v3/operations/${operation_id}`)).text).status
  await expect.poll(read, { timeout: 10_000 }).toBe('succeeded')
})

test('a change that does not fit is undone, and what is there can be read and changed', () => {
  const db = new Database(join(temporaryFolder(), 'small.db'))
  onTestFinished(() => db.close())
  db.script('CREATE TABLE texts (seq INTEGER PRIMARY KEY, text TEXT NOT NULL); PRAGMA max_page_count = 20')
  const count = () => db.get<{ n: number }>('SELECT count(*) AS n FROM texts')?.n
  db.insert('texts', { text: 'short' })
  let thrown: unknown
  try {
    db.transaction(() => {
      for (let row = 0; row < 100; row += 1) db.insert('texts', { text: 'x'.repeat(4000) })
    })
  } catch (error) {
    thrown = error
  }
  expect([isDiskFull(thrown), isDiskFull(new Error('another'))]).toEqual([true, false])
  expect(count()).toBe(1)
  db.transaction(() => db.insert('texts', { text: 'short' }))
  expect(count()).toBe(2)
})
