/** What accompanies an executable: its parts as a CycloneDX document, and the licences of all of them. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BundledPackage, licensesOf } from '../build/bundled-packages.ts'
import { unpackPackage } from './npm-package.ts'
import { lockedPackage, type PinnedPackage, type Target } from './targets.ts'

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly properties?: readonly { readonly name: string }[]
}

interface Sbom {
  readonly metadata: { readonly component: Pick<Component, 'bom-ref'> }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * The document of `npm run sbom`, with the packages that are in the executable alone, and with Node and the keychain's
 * native code, of which each target has its own.
 */
export function partsOf(root: string, target: Target, packages: readonly BundledPackage[]): string {
  const sbom = wholeSbom(root)
  const inside = new Set(packages.map(({ name, version }) => `${name}@${version}`))
  const kept = sbom.components.filter(
    ({ name, version, properties = [] }) =>
      inside.has(`${name}@${version}`) || properties.some((property) => property.name === 'bankapi:bundled'),
  )
  const own = [
    componentOf(target.node, 'platform'),
    componentOf(lockedPackage(root, target.keyring), 'library'),
  ]
  const refs = new Set([sbom.metadata.component, ...kept, ...own].map((component) => component['bom-ref']))
  const dependencies = sbom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }))
  return `${JSON.stringify({ ...sbom, components: [...kept, ...own], dependencies }, null, 2)}\n`
}

let whole: Sbom | undefined

function wholeSbom(root: string): Sbom {
  if (whole !== undefined) return whole
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/sbom.ts')], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`npm run sbom: ${stderr}`)
  whole = JSON.parse(stdout) as Sbom
  return whole
}

function componentOf({ name, version, integrity }: PinnedPackage, type: string) {
  const [algorithm = '', hash = ''] = integrity.split(/-(.*)/s)
  return {
    'bom-ref': `${name}@${version}`,
    type,
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex') }],
    licenses: [{ license: { id: 'MIT' } }],
  }
}

/** Node's licence is the same for every target; the package for Windows does not have it. */
export async function licensesOfExecutable(
  root: string,
  host: Target,
  scratch: string,
  packages: readonly BundledPackage[],
): Promise<string> {
  const node = join(scratch, 'license')
  unpackPackage(root, host.node, node, ['LICENSE'])
  const rule = `\n${'='.repeat(80)}\n\n`
  return [
    `bankapi\n\n${readFileSync(join(root, 'LICENSE'), 'utf8')}`,
    readFileSync(join(root, 'dist/LICENSES.txt'), 'utf8'),
    await licensesOf(root, packages),
    `Node.js ${host.node.version}\n\n${readFileSync(join(node, 'LICENSE'), 'utf8')}`,
  ].join(rule)
}
