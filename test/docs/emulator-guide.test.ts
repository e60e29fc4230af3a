import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { portable } from '../support/shell.ts'

/**
 * Runs the console blocks of docs/emulator.md, one after the other on one emulator, and compares what a terminal shows. To
 * update the page: BANKAPI_DOCS_WRITE=1 npm run test:only test/docs/emulator-guide.test.ts
 */
const page = new URL('../../docs/emulator.md', import.meta.url)
const block = /```console\n([\s\S]*?)```/g

const emulator = emulatorShell()

/** Replaces the test's ports with 4010 and 4011, those of a start without flags. */
function withUsualPorts(text: string): string {
  const { sandbox, live } = emulator.home
  return text
    .replaceAll(new URL(sandbox.base_url).host, '127.0.0.1:4010')
    .replaceAll(new URL(live.base_url).host, '127.0.0.1:4011')
}

/** Removes what differs from day to day: the dates determine how many charges are settled. */
function comparable(text: string): string {
  return portable(text, emulator.home.folder).replaceAll(/\d+ jobs ran/g, 'N jobs ran')
}

it('every output in docs/emulator.md is what the command prints', async () => {
  const text = readFileSync(page, 'utf8')
  let written = text
  const shown: string[] = []
  const expected: string[] = []
  for (const [whole, content = ''] of text.matchAll(block)) {
    const lines = content.split('\n').filter((line) => line.startsWith('$ '))
    let real = ''
    for (const line of lines) {
      const { code, screen } = await emulator.open(line.slice(2)).ended
      real += `${line}\n${withUsualPorts(screen).trimEnd()}\n${code === 0 ? '' : `[exit ${code}]\n`}`
    }
    written = written.replace(whole, () => `\`\`\`console\n${real}\`\`\``)
    expected.push(comparable(real))
    shown.push(comparable(content))
  }
  if (process.env['BANKAPI_DOCS_WRITE'] === '1') {
    writeFileSync(page, written)
    return
  }
  expect(shown).toHaveLength(9)
  expect(shown).toEqual(expected)
})

it('the start in docs/emulator.md is what a start prints', async () => {
  const home = createHome()
  const started = home.start(['emulator', 'start', '--memory', '--port', '0', '--live-port', '0'])
  await started.line((line) => line.startsWith('In another terminal'))
  const [, shown = ''] =
    /```text\n\$ bankapi emulator start\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? []
  expect(portable(shown, home.folder)).toBe(portable(started.stdout(), home.folder))
})
