/** `bankapi tui` in a pipe and in CI: the same events as lines, and no error about raw mode. */
import { expect, onTestFinished, test } from 'vitest'
import { bin } from '../support/built-program.ts'
import { emulatorHome } from '../support/emulator-process.ts'
import { until } from '../support/until.ts'
import { openPty } from './pty-screen.ts'
import { startTarget } from './target.ts'

const home = emulatorHome()
/** An unknown operation. Given on the command line, it is reported at once; then new operations are watched. */
const unknown = 'op_unknown0000'

test('in a pipe with --json: one object per line, from the start to the end of an operation', async () => {
  const target = await startTarget()
  onTestFinished(() => target.close())
  const tui = home.start(['tui', '--json', '--port', '0', '--forward', target.url])
  const ready = JSON.parse(await tui.line()) as object
  expect(ready).toMatchObject({ kind: 'listener', ready: true, targets: [`${target.url}/`] })
  const { operation_id: id } = await home.json<{ operation_id: string }>([
    'connections',
    'refresh',
    'con_FDE_123',
  ])
  const of = (kind: string, more: RegExp) =>
    tui.line((line) => line.includes(`"kind":"${kind}"`) && more.test(line))
  expect(JSON.parse(await of('operation', /queued/))).toMatchObject({
    id,
    subject: 'con_FDE_123',
    status: 'queued',
  })
  expect(JSON.parse(await of('operation', /succeeded/))).toMatchObject({ id, outcome: 'connection' })
  expect(JSON.parse(await of('delivery', /refresh\.completed/))).toMatchObject({
    verdict: 'verified',
    forward: { status: 200, error: null },
  })
  tui.process.kill('SIGTERM')
  const { code, stderr, stdout } = await tui.ended
  expect(code).toBe(0)
  expect(stderr).not.toMatch(/raw mode/i)
  for (const line of stdout.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
})

test('in a pipe: lines for people', async () => {
  const tui = home.start(['tui', '--utc', unknown])
  await tui.line((text) => text.includes(unknown))
  await home.json(['connections', 'refresh', 'con_FDE_123'])
  const line = await tui.line((text) => text.includes('succeeded'))
  expect(line).toMatch(
    /^\d\d:\d\d:\d\dZ {2}operation {2}op_\w+ {2}account\.refresh {2}con_FDE_123 {2}succeeded/,
  )
  tui.process.kill('SIGINT')
  expect((await tui.ended).code).toBe(0)
})

test('a given id is watched, also one that the service does not know', async () => {
  const tui = home.start(['tui', '--json', unknown])
  expect(JSON.parse(await tui.line())).toMatchObject({
    kind: 'operation',
    id: unknown,
    status: 'unknown',
  })
  await until(() => tui.stderr().includes(`${unknown} could not be read`), 'the warning')
  tui.process.kill('SIGTERM')
  await tui.ended
})

test('an argument that is not an operation id is refused', async () => {
  expect(await home.run(['tui', 'con_FDE_123'])).toMatchObject({ code: 2 })
})

test('in CI, lines are printed also on a terminal', async () => {
  const env = { ...home.env, CI: 'true' }
  const pty = openPty({
    command: process.execPath,
    args: [bin, 'tui', unknown],
    env,
    columns: 100,
    lines: 24,
  })
  onTestFinished(() => pty.kill('SIGKILL'))
  await pty.until((text) => text.includes(unknown), 'the operation that was given')
  await home.json(['connections', 'refresh', 'con_FDE_123'])
  await pty.until((text) => /operation {2}op_\w+ {2}account\.refresh/.test(text), 'the refresh')
  expect(pty.output()).not.toContain('\u001b[?1049h')
})
