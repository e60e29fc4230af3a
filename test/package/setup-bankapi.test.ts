/** The GitHub Action setup-bankapi: its schema, and its script with what a runner gives it. npm and releases are stand-ins. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'

type Validator = typeof import('@action-validator/core')
const { validateAction, validateWorkflow } = createRequire(import.meta.url)(
  '@action-validator/core',
) as Validator

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const action = read('setup-bankapi/action.yml')
const { version } = JSON.parse(read('package.json')) as { version: string }

interface Step {
  readonly run?: string
  readonly env?: Record<string, string>
}

describe('action.yml', () => {
  it('fits the schema of actions', () => {
    expect(validateAction(action).errors).toEqual([])
    expect(validateAction(action.replace('shell: bash', 'shel: bash')).errors).not.toEqual([])
  })

  it('installs the version that it belongs to unless another is asked for', () => {
    const { inputs } = parse(action) as { inputs: Record<string, { default: unknown }> }
    expect(inputs['version']?.default).toBe(version)
  })

  it('no input becomes part of a script', () => {
    const { steps } = (parse(action) as { runs: { steps: Step[] } }).runs
    expect(steps.length).toBeGreaterThan(0)
    for (const { run } of steps) expect(run).not.toContain('${{')
  })
})

it('the workflows of the docs fit the schema of workflows', () => {
  const blocks = [...read('docs/in-ci.md').matchAll(/```yaml\n(jobs:\n[\s\S]*?)```/g)].map(
    ([, yaml = '']) => yaml,
  )
  expect(blocks.length).toBeGreaterThan(1)
  for (const block of blocks) expect(validateWorkflow(`on: push\n${block}`).errors, block).toEqual([])
})

/** Stands for `bankapi` as it was installed. */
const program = (installed: string) => `#!/bin/sh\necho "bankapi/${installed} linux-x64 node-v24.0.0"\n`

interface Runner {
  readonly run: (inputs: Readonly<Record<string, string>>) => { status: number | null; stdout: string }
  readonly file: (name: string) => string
  readonly folder: string
}

/** A runner with stand-ins for npm and install.sh, which install a bankapi that says it is `installed`. */
function runner(installed = version): Runner {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-action-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const put = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
    chmodSync(join(folder, path), 0o755)
  }
  cpSync(join(root, 'setup-bankapi'), join(folder, 'repository/setup-bankapi'), { recursive: true })
  put('installed', program(installed))
  put(
    'bin/npm',
    `#!/bin/sh\necho "$@" >${folder}/npm\nmkdir -p "$4/bin"\ncp ${folder}/installed "$4/bin/bankapi"\n`,
  )
  put(
    'repository/install.sh',
    `echo "$BANKAPI_DOWNLOADS" >${folder}/downloads\nmkdir -p "$BANKAPI_INSTALL_DIR"\ncp ${folder}/installed "$BANKAPI_INSTALL_DIR/bankapi"\n`,
  )
  return {
    folder,
    file: (name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : ''),
    run: (inputs) =>
      spawnSync('bash', [join(folder, 'repository/setup-bankapi/install')], {
        encoding: 'utf8',
        env: {
          PATH: `${folder}/bin:${process.env['PATH']}`,
          GITHUB_ACTION_PATH: join(folder, 'repository/setup-bankapi'),
          GITHUB_PATH: join(folder, 'path'),
          GITHUB_OUTPUT: join(folder, 'output'),
          RUNNER_TOOL_CACHE: join(folder, 'tools'),
          RUNNER_OS: 'Linux',
          RUNNER_ARCH: 'X64',
          DOWNLOADS: 'https://github.com/bankapi/bankapi/releases/download',
          VERSION: version,
          FROM: 'npm',
          ...inputs,
        },
      }),
  }
}

describe.skipIf(process.platform === 'win32')('its script', () => {
  it.each([
    [
      'npm',
      'npm',
      `install --global --prefix FOLDER --ignore-scripts --no-audit --no-fund --loglevel=error bankapi@${version}\n`,
    ],
    ['executable', 'downloads', `https://github.com/bankapi/bankapi/releases/download/v${version}\n`],
  ])(
    'from %s: installs that version into a folder of its own and adds it to PATH',
    (from, record, expected) => {
      const { run, file, folder } = runner()
      expect(run({ FROM: from })).toMatchObject({ status: 0 })
      const tools = join(folder, 'tools/bankapi', version, `${from}-Linux-X64`)
      expect(file(record)).toBe(expected.replace('FOLDER', tools))
      expect(file('path')).toBe(`${tools}/bin\n`)
      expect(file('output')).toBe(`version=${version}\n`)
    },
  )

  it.each([
    [{ VERSION: 'latest' }, 'not an exact version'],
    [{ VERSION: '1.0.0 --registry=https://evil.example' }, 'not an exact version'],
    [{ VERSION: '../../1.0.0' }, 'not an exact version'],
    [{ VERSION: '' }, 'not an exact version'],
    [{ FROM: 'pip' }, 'neither npm nor executable'],
    [{ FROM: 'executable', RUNNER_OS: 'Windows' }, "On Windows set 'from: npm'"],
  ])('%o is refused, and nothing is installed', (inputs, sentence) => {
    const { run, file } = runner()
    const { status, stdout } = run(inputs)
    expect(status).toBe(1)
    expect(stdout).toContain(`::error title=setup-bankapi::`)
    expect(stdout).toContain(sentence)
    expect([file('npm'), file('downloads'), file('path')]).toEqual(['', '', ''])
  })

  it('an old Node is refused with what to do', () => {
    const { run, folder, file } = runner()
    writeFileSync(join(folder, 'bin/node'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    expect(run({})).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('needs Node 24: run actions/setup-node'),
    })
    expect(file('npm')).toBe('')
  })

  it('another version than the one asked for is refused', () => {
    const { run, file } = runner('9.9.9')
    expect(run({})).toMatchObject({ status: 1, stdout: expect.stringContaining(`not ${version}`) })
    expect(file('path')).toBe('')
  })
})
