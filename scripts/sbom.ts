/**
 * `npm run sbom`: prints a CycloneDX document of what a user gets: the packages that are installed with bankapi, and those
 * whose code is part of its bundle. `npm sbom` alone lists only the former, as the latter are development dependencies.
 */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundledPackages } from './build/bundled-packages.ts'

interface Sbom {
  components: {
    name: string
    version: string
    group?: string
    properties?: { name: string; value: string }[]
  }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const root = fileURLToPath(new URL('..', import.meta.url))

function npmSbom(...more: string[]): Sbom {
  const { status, stdout, stderr } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', ...more], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`npm sbom: ${stderr}`)
  return JSON.parse(stdout)
}

const { outputs } = JSON.parse(await readFile(join(root, 'dist/metafile.json'), 'utf8'))
const bundled = new Set(
  (await bundledPackages(root, outputs)).map(({ name, version }) => `${name}@${version}`),
)
const whole = npmSbom()
const installed = npmSbom('--omit', 'dev')
const idOf = ({ name, version, group }: Sbom['components'][number]) =>
  `${group === undefined || name.startsWith('@') ? '' : `${group}/`}${name}@${version}`
const listed = new Set(installed.components.map(idOf))
const more = whole.components.filter(
  (component) => bundled.has(idOf(component)) && !listed.has(idOf(component)),
)
const marked = more.map((component) => ({
  ...component,
  properties: [{ name: 'bankapi:bundled', value: 'true' }],
}))
const all = { ...installed, components: [...installed.components, ...marked] }
process.stdout.write(`${JSON.stringify(all, null, 2)}\n`)
