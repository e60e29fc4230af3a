/** How the keychain process is asked. A program that answers as it is told stands in for it: no keychain is touched. */
import { getEventListeners } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { temporaryFolder, testMachine } from '../../test/support/machine.ts'
import { type Keychain, type KeychainOptions, openKeychain } from './keychain.ts'

const account = 'live/api-key'

/** A keychain whose process runs this script. `question` is what it was asked, once it has written it down. */
function keychainThat(script: string, options: KeychainOptions = {}, env: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const path = join(folder, 'program.mjs')
  const question = join(folder, 'question')
  const pid = join(folder, 'pid')
  writeFileSync(
    path,
    `import { readFileSync, writeFileSync, writeSync } from 'node:fs'
     const note = (file, text) => writeFileSync(file, text)
     const question = () => { const text = readFileSync(0, 'utf8'); note(${JSON.stringify(question)}, text); return JSON.parse(text) }
     const answer = (value) => { question(); writeSync(1, JSON.stringify(value)) }
     const ready = () => note(${JSON.stringify(pid)}, String(process.pid))
     ${script}`,
  )
  return {
    keychain: openKeychain(testMachine(env), { program: pathToFileURL(path), ...options }),
    path,
    question: () => JSON.parse(readFileSync(question, 'utf8')) as unknown,
    /** The process, once it says that it is ready. */
    running: async () => {
      await vi.waitFor(() => expect(existsSync(pid) && readFileSync(pid, 'utf8')).toMatch(/\d/), 10_000)
      return Number(readFileSync(pid, 'utf8'))
    },
  }
}

const answering = (answer: unknown) => keychainThat(`answer(${JSON.stringify(answer)})`)
const hanging = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); ready()"

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test.each<[string, (keychain: Keychain) => Promise<unknown>, object, unknown, unknown]>([
  ['a secret', (it) => it.get(account), { do: 'get', account }, 'sk_live_1', 'sk_live_1'],
  ['no secret', (it) => it.get(account), { do: 'get', account }, null, undefined],
  ['set', (it) => it.set(account, 's'), { do: 'set', account, secret: 's' }, null, undefined],
  ['deleted', (it) => it.delete(account), { do: 'delete', account }, true, true],
  ['nothing deleted', (it) => it.delete(account), { do: 'delete', account }, false, false],
  ['accounts in order', (it) => it.list(), { do: 'list' }, ['b', 'a'], ['a', 'b']],
  ['no accounts', (it) => it.list(), { do: 'list' }, null, []],
])('each question has a process of its own: %s', async (_, ask, asked, value, result) => {
  const { keychain, question } = answering({ ok: true, value })
  expect(await ask(keychain)).toEqual(result)
  expect(question()).toEqual({ ...asked, service: 'bankapi' })
})

test('the process gets none of our variables, and those that lead to the keychain', async () => {
  const env = {
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/bus',
    BANKAPI_API_KEY: 'sk',
    NODE_OPTIONS: '--no-x',
  }
  const told = 'question(); writeSync(1, JSON.stringify({ ok: true, value: JSON.stringify(process.env) }))'
  const { keychain } = keychainThat(told, {}, env)
  const seen = JSON.parse((await keychain.get(account)) ?? '') as Record<string, string>
  expect(Object.keys(seen)).toContain('DBUS_SESSION_BUS_ADDRESS')
  expect(Object.keys(seen).filter((name) => /^(BANKAPI|NODE)_/.test(name))).toEqual([])
})

test('an answer that comes in pieces, cut within a character, is read whole', async () => {
  const { keychain } = keychainThat(`
    question()
    const bytes = Buffer.from(JSON.stringify({ ok: true, value: 'sécret' }))
    const cut = bytes.indexOf(0xc3) + 1
    process.stdout.write(bytes.subarray(0, cut))
    setTimeout(() => process.stdout.write(bytes.subarray(cut)), 50)`)
  expect(await keychain.get(account)).toBe('sécret')
})

const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length
const idlePipes = pipes()

test('no answer within three seconds is an error; the process is killed, whatever holds its pipes', async () => {
  // Those of the processes of other tests close a moment after these end.
  await vi.waitFor(() => expect(pipes()).toBe(idlePipes), 10_000)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { keychain, path, running } = keychainThat(`
    import { spawn } from 'node:child_process'
    const stays = 'process.on("SIGHUP", () => {}); setTimeout(() => {}, 20000)'
    const holder = spawn(process.execPath, ['-e', stays], { stdio: 'inherit', detached: true })
    setInterval(() => {}, 1000)
    process.on('SIGTERM', () => {})
    note(process.argv[1] + '.holder', String(holder.pid))
    ready()`)
  onTestFinished(() => void process.kill(Number(readFileSync(`${path}.holder`, 'utf8'))))
  const answer = keychain.get(account)
  const failed = expect(answer).rejects.toMatchObject({
    name: 'KeychainError',
    code: 'timeout',
    exit: 'notAuthenticated',
    message: expect.stringContaining('in 3 seconds'),
    hint: expect.stringContaining('--insecure-storage'),
  })
  const pid = await running()
  expect(pipes()).toBeGreaterThan(idlePipes)
  vi.advanceTimersByTime(2999)
  expect(isAlive(pid)).toBe(true)
  vi.advanceTimersByTime(1)
  await failed
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 10_000)
  await vi.waitFor(() => expect(pipes()).toBe(idlePipes), 10_000)
})

test('an answer leaves neither a timer nor a listener behind', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { signal } = new AbortController()
  const { keychain } = keychainThat('answer({ ok: true, value: null })', { signal })
  await keychain.get(account)
  expect(vi.getTimerCount()).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('an abort ends a question with its own reason, before it is asked and after', async () => {
  const reason = new Error('Ctrl-C')
  const stop = new AbortController()
  const { keychain, running } = keychainThat(hanging, { signal: stop.signal })
  const answer = expect(keychain.get(account)).rejects.toBe(reason)
  const pid = await running()
  stop.abort(reason)
  await answer
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 10_000)
  await expect(keychain.get(account)).rejects.toBe(reason)
})

test.each([
  ['ends without an answer', ''],
  ['answers with half of one', 'writeSync(1, \'{"ok":\')'],
  ['ends before it has read the question', 'process.exit(0)'],
])('a process that %s makes the keychain unavailable', async (_, script) => {
  const { keychain } = keychainThat(script)
  // More than a pipe holds, so that writing the question fails.
  await expect(keychain.set(account, 's'.repeat(1_000_000))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('without an answer'),
  })
})

test('a process that cannot be started makes it unavailable', async () => {
  const keychain = openKeychain({ ...testMachine(), node: '/nonexistent/node' })
  await expect(keychain.get(account)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('cannot be started'),
  })
})

test.each(['the collection is Locked', 'The prompt was dismissed'])('%s: it is locked', async (reason) => {
  await expect(answering({ ok: false, reason }).keychain.get(account)).rejects.toMatchObject({
    code: 'locked',
  })
})

test('another reason is told on one line, short, and without the secret', async () => {
  const reason = `no \u001b[31m\r\nservice for sk_live_mine ${'x'.repeat(500)}`
  const { keychain } = answering({ ok: false, reason })
  const failure = (await keychain.set(account, 'sk_live_mine').catch((error: unknown) => error)) as Error
  expect(failure).toMatchObject({ code: 'unavailable' })
  expect(failure.message).toMatch(/cannot be used: no {2}\[31m service for … x+$/)
  expect(failure.message.length).toBeLessThan(400)
  const read = answering({ ok: false, reason: 'undefined symbol' }).keychain.get(account)
  await expect(read).rejects.toThrow('cannot be used: undefined symbol')
})

test.runIf(process.platform === 'linux')('without another program it is the source', async () => {
  const machine = testMachine({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' })
  await expect(openKeychain(machine).get(account)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/dbus|zbus/i),
  })
})
