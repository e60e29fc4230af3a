/** bin/run.js in a clone in which nothing is built yet. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { bin } from '../support/built-program.ts'

let clone: string

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'bankapi-clone-'))
  mkdirSync(join(clone, 'bin'))
  cpSync(bin, join(clone, 'bin/run.js'))
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}')
})
afterEach(() => rmSync(clone, { recursive: true }))

function buildScript(text: string): void {
  mkdirSync(join(clone, 'scripts'))
  writeFileSync(join(clone, 'scripts/build.ts'), text)
}

/** From another folder, as the alias of the README. */
function run() {
  const args = [join(clone, 'bin/run.js'), 'clients', 'list']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: tmpdir(), encoding: 'utf8' })
  return { status, stdout, stderr }
}

it('the first command builds the program and runs, the second only runs', () => {
  buildScript(`
    import { mkdirSync, writeFileSync } from 'node:fs'
    console.log('built')
    mkdirSync('dist')
    writeFileSync('dist/main.cjs', \`
      exports.builtFiles = () => ({})
      exports.main = async (argv) => void process.stdout.write(argv.join(' '))\`)`)
  expect(run()).toEqual({
    status: 0,
    stdout: 'clients list',
    stderr: 'bankapi is not built yet: building it, once.\nbuilt\n',
  })
  expect(run()).toEqual({ status: 0, stdout: 'clients list', stderr: '' })
})

it('a build that fails names the command to run', () => {
  buildScript("throw new Error('no esbuild')")
  const { status, stdout, stderr } = run()
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('no esbuild')
  expect(stderr).toContain(`npm ci --prefix '${clone}/' && npm run build --prefix '${clone}/'`)
})

it('a package without its built files says that it is not whole', () => {
  expect(run()).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('dist is missing. Install it again.'),
  })
})
