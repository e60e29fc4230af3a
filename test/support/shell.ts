/**
 * Runs command lines in `sh`, with the built `bankapi` on the PATH, in a work folder of the home. `transcript` gives the text
 * of a terminal log, without what differs from run to run.
 *
 *     const { transcript } = createShell(home)
 *     expect(await transcript('bankapi clients list | wc -l')).toMatchInlineSnapshot()
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bin } from './built-program.ts'
import type { Home, Run, RunOptions } from './cli.ts'

export interface Shell {
  /** The working folder of the lines. */
  readonly folder: string
  /** The environment of the lines. */
  readonly env: Readonly<Record<string, string>>
  /** Runs one line to its end. */
  run(line: string, options?: RunOptions): Promise<Run>
  /** Runs lines one after the other; returns each with its output, `2> ` before stderr, and its exit code unless 0. */
  transcript(...lines: readonly string[]): Promise<string>
}

export function createShell(home: Pick<Home, 'folder' | 'env'>): Shell {
  const folder = join(home.folder, 'work')
  const programs = join(home.folder, 'bin')
  mkdirSync(folder, { recursive: true })
  mkdirSync(programs, { recursive: true })
  const program = join(programs, 'bankapi')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
  chmodSync(program, 0o755)
  const env = { ...home.env, PATH: `${programs}:${home.env['PATH'] ?? ''}` }
  const run: Shell['run'] = (line, { input, env: more } = {}) =>
    new Promise((resolve, reject) => {
      const shell = spawn('sh', ['-c', line], { cwd: folder, env: { ...env, ...more } })
      let stdout = ''
      let stderr = ''
      shell.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout += text
      })
      shell.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr += text
      })
      shell.stdin.on('error', () => {})
      shell.stdin.end(input ?? '')
      shell.on('error', reject)
      shell.on('close', (code) => resolve({ code, stdout, stderr }))
    })
  return {
    folder,
    env,
    run,
    async transcript(...lines) {
      const parts: string[] = []
      for (const line of lines) {
        const { code, stdout, stderr } = await run(line)
        const complaints = stderr.replace(/^(?=.)/gm, '2> ')
        const ending = code === 0 ? '' : `[exit ${code}]\n`
        parts.push(`${portable(`$ ${line}\n${stdout}${complaints}`, home.folder)}${ending}`)
      }
      return `\n${parts.join('')}`
    },
  }
}

const varying: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\?token=[\w-]{32}/g, '?token=…'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:PORT'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\b(sk_test|sk_live|whsec|portal|whk|evt|cli|cs|op|tok)_[0-9a-f]{8,}\b/g, '$1_…'],
  [/\b(sk_test|sk_live)_[0-9a-f]{4}\b/g, '$1_…'],
  // Cut in the middle.
  [/\b(whk|evt|cli|cs|op)_[0-9a-f]*…[0-9a-f]+\b/g, '$1_…'],
  [/\b(con|acc|txn|chk|stmt)_([A-Z_]+)_[0-9a-f]{10,}(-\d+)?\b/g, '$1_$2_…'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC|Z)?/g, 'TIME'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DATE'],
  [/TIME {2,}(?:\d+ (?:s|min|h|d|mo|y) ago|in \d+ (?:s|min|h|d|mo|y)|now)/g, 'TIME  AGE'],
  [/\b\d+ (?:s|min|h|d|mo|y) ago\b|\bnow$/gm, 'AGE'],
]

/** Replaces what differs from run to run: ids, secrets, ports, times and the home's folder. */
export function portable(text: string, folder: string): string {
  return varying.reduce((left, [pattern, name]) => left.replace(pattern, name), text.replaceAll(folder, '~'))
}
