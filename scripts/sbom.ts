/**
 * `npm run sbom`: what a user gets, as a CycloneDX document on stdout: the packages that are installed with bankapi, and
 * those whose code is part of its bundle. `npm sbom` has the description of each; which ones they are, it does not know:
 * a bundled package is a development dependency, and with `--omit dev` it leaves out what development needs as well.
 */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledPackages } from './build/bundled-packages.ts'

interface Sbom {
  metadata: { component: { 'bom-ref': string; name: string } }
  components: {
    'bom-ref': string
    name: string
    version: string
    properties?: { name: string; value: string }[]
  }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

interface Listed {
  version?: string
  dependencies?: Record<string, Listed>
  readonly extraneous?: boolean
  readonly resolved?: string
}

const root = fileURLToPath(new URL('..', import.meta.url))

function npm<T>(...args: string[]): T {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
  const { status, stdout, stderr } = spawnSync('npm', args, options)
  if (status !== 0) throw new Error(`npm ${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Every `name@version` below a listed package. */
function* packagesBelow({ dependencies = {} }: Listed): Generator<string> {
  for (const [name, listed] of Object.entries(dependencies)) {
    // An optional one of another platform is listed without a version.
    // What an install script left in node_modules belongs to no package; those in packages/ are published on their own.
    if (listed.extraneous || listed.resolved?.startsWith('file:')) continue
    if (listed.version !== undefined) yield `${name}@${listed.version}`
    yield* packagesBelow(listed)
  }
}

const { outputs } = JSON.parse(await readFile(join(root, 'dist/metafile.json'), 'utf8'))
const bundled = (await bundledPackages(root, outputs)).map(({ name, version }) => `${name}@${version}`)
const installed = new Set(packagesBelow(npm<Listed>('ls', '--omit=dev', '--all', '--json')))
const wanted = new Set([...installed, ...bundled])

const whole = npm<Sbom>('sbom', '--sbom-format', 'cyclonedx')
// npm takes the name of the folder.
whole.metadata.component.name = 'bankapi'
const components = new Map(
  whole.components.map((component) => [`${component.name}@${component.version}`, component]),
)
const missing = [...wanted].filter((id) => !components.has(id))
if (missing.length > 0) throw new Error(`npm sbom does not describe ${missing.join(', ')}`)

const marks = (id: string, at: string | undefined) => [
  { name: 'cdx:npm:package:path', value: at ?? '' },
  ...(installed.has(id) ? [] : [{ name: 'bankapi:bundled', value: 'true' }]),
]
const kept = [...wanted].sort().flatMap((id) => {
  const component = components.get(id)
  if (component === undefined) return []
  const path = component.properties?.find(({ name }) => name === 'cdx:npm:package:path')?.value
  return [{ ...component, properties: marks(id, path) }]
})
const refs = new Set([whole.metadata.component['bom-ref'], ...kept.map((component) => component['bom-ref'])])
const dependencies = whole.dependencies.flatMap(({ ref, dependsOn }) =>
  refs.has(ref) ? [{ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }] : [],
)
process.stdout.write(`${JSON.stringify({ ...whole, components: kept, dependencies }, null, 2)}\n`)
