/** Tests of the built program refuse a dist/ that was not built from the current sources. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { recordSources, staleBuild } from '../../scripts/build/sources.ts'
import { temporaryFolder } from '../support/machine.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A project that has just been built. */
function builtProject() {
  const folder = temporaryFolder()
  const dist = join(folder, 'dist')
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  write('package.json', '{ "type": "module" }')
  write('scripts/build/help.ts', '// help')
  write('src/a.ts', '// a')
  write('src/commands/test.ts', '// a command')
  write('src/a.test.ts', '// its test')
  recordSources(folder, dist)
  return { folder, write, stale: () => staleBuild(folder, dist) }
}

it('a fresh build is not stale, whatever the times of the files', () => {
  const { folder, stale } = builtProject()
  utimesSync(join(folder, 'src/a.ts'), new Date(), new Date(Date.now() + 3_600_000))
  expect(stale()).toBeUndefined()
})

it.each(['src/a.ts', 'src/commands/test.ts', 'src/new/file.tsx', 'scripts/build/help.ts', 'package.json'])(
  'a change of %s makes it stale, and is named',
  (file) => {
    const { write, stale } = builtProject()
    write(file, '// changed')
    expect(stale()).toBe(`dist/ is older than ${file}: run \`npm run build\``)
  },
)

it('a deleted source makes it stale', () => {
  const { folder, stale } = builtProject()
  rmSync(join(folder, 'src/a.ts'))
  expect(stale()).toBe('dist/ was built with src/a.ts, which is gone: run `npm run build`')
})

it('a missing dist/ counts as stale', () => {
  const { folder, stale } = builtProject()
  rmSync(join(folder, 'dist'), { recursive: true })
  expect(stale()).toBe('dist/ is missing: run `npm run build`')
})

it('tests are not sources', () => {
  const { write, stale } = builtProject()
  write('src/a.test.ts', '// changed')
  expect(stale()).toBeUndefined()
})

it('built-program.ts refuses a stale build', () => {
  const { folder, write } = builtProject()
  for (const file of ['test/support/built-program.ts', 'scripts/build/sources.ts']) {
    write(file, '')
    copyFileSync(join(root, file), join(folder, file))
  }
  recordSources(folder, join(folder, 'dist'))
  const load = () =>
    spawnSync(process.execPath, [join(folder, 'test/support/built-program.ts')], { encoding: 'utf8' })
  expect(load()).toMatchObject({ status: 0, stderr: '' })
  write('src/a.ts', '// changed')
  expect(load()).toMatchObject({ status: 1, stderr: expect.stringContaining('dist/ is older than src/a.ts') })
})

it('every test gets the built program from built-program.ts', () => {
  const ways = /bin\/run\.js'|'(?:\.\.\/)*dist['/]|'node_modules(?:\/|', ')bankapi'/
  const exclude = ['test/support/built-program.ts', 'test/build/stale-build.test.ts']
  const files = globSync('test/**/*.ts', { cwd: root, exclude })
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
  const using = texts.filter(({ text }) => ways.test(text))
  expect(using.length).toBeGreaterThan(0)
  expect(using.filter(({ text }) => !text.includes('built-program')).map(({ file }) => file)).toEqual([])
})
