/** Runs the example of docs/emulator-in-tests.md against the built package. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '../support/built-program.ts'

it('every example of docs/emulator-in-tests.md passes in a project that has installed bankapi', () => {
  const page = readFileSync(join(root, 'docs/emulator-in-tests.md'), 'utf8')
  const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code)
  expect(examples.length).toBeGreaterThan(0)
  const project = mkdtempSync(join(tmpdir(), 'bankapi-example-'))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(root, join(project, 'node_modules/bankapi'))
  symlinkSync(join(root, 'node_modules/vitest'), join(project, 'node_modules/vitest'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  for (const [index, code] of examples.entries()) {
    writeFileSync(join(project, `example-${index + 1}.test.ts`), code)
  }
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', project], {
    cwd: project,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: project },
  })
  expect([status, stdout + stderr]).toEqual([0, expect.stringContaining(`${examples.length} passed`)])
})
