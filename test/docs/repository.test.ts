/** Checks the files around the code: workflows, templates, editor settings, README.md, CONTRIBUTING.md. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const { scripts, engines } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  engines: { node: string }
}

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly env?: Record<string, string>
}

interface Workflow {
  readonly permissions: Record<string, string>
  readonly jobs: Record<
    string,
    {
      readonly needs?: string
      readonly uses?: string
      readonly permissions?: Record<string, string>
      readonly strategy?: { readonly matrix: Record<string, unknown[]> }
      readonly steps?: Step[]
    }
  >
}

function workflow(name: string): Workflow {
  return parseDocument(read(`.github/workflows/${name}.yml`)).toJS()
}
const ci = workflow('ci')
const release = workflow('release')
const runs = ({ jobs }: Workflow, job: string) => jobs[job]?.steps?.map(({ run }) => run ?? '') ?? []

const yamlFiles = globSync('.github/**/*.yml', { cwd: root })

it.each(yamlFiles)('%s is YAML', (file) => {
  const { errors, warnings } = parseDocument(read(file), { prettyErrors: true })
  expect([...errors, ...warnings]).toEqual([])
})

it('every npm script that is named anywhere exists', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    '.ci/run',
    '.github/pull_request_template.md',
  ]
  const named = [...yamlFiles, ...documents].flatMap((file) =>
    [...read(file).matchAll(/npm run (?:-\S+ )*([\w:]+)|npm (test)\b/g)].map(
      ([, script, test]) => script ?? test ?? '',
    ),
  )
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
})

describe('continuous integration', () => {
  it('runs the commands of README.md on each system and Node', () => {
    expect(read('README.md')).toContain('$ npm ci && npm test')
    expect(runs(ci, 'test')).toEqual(expect.arrayContaining(['.ci/run', 'npm ci', 'npm test']))
    expect(read('.ci/run')).toMatch(/^npm ci\b.*^BANKAPI_TEST_NO_SKIP=1 npm test$/ms)
    expect(ci.jobs['test']?.strategy?.matrix).toEqual({
      os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
      node: [24, 26],
    })
  })

  it.each([ci, release])('may only read the code, unless a job says otherwise', ({ permissions }) => {
    expect(permissions).toEqual({ contents: 'read' })
  })

  it('runs only actions that are pinned to a commit', () => {
    const used = [ci, release].flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)]),
    )
    const foreign = used.filter((name) => name !== undefined && !name.startsWith('./'))
    expect(foreign.length).toBeGreaterThan(3)
    expect(foreign.filter((name) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/.test(name ?? ''))).toEqual([])
  })
})

describe('a release', () => {
  it('is tested, published with provenance, and has its SBOM', () => {
    const { publish, test } = release.jobs
    expect(test?.uses).toBe('./.github/workflows/ci.yml')
    expect(publish).toMatchObject({
      needs: 'test',
      permissions: { contents: 'write', 'id-token': 'write' },
    })
    const steps = runs(release, 'publish').join('\n')
    expect(steps).toContain('npm publish --provenance')
    const [, sbom = ''] = /npm run --silent sbom > (\S+)/.exec(steps) ?? []
    expect(steps).toMatch(new RegExp(`gh release create .* ${sbom}\\b`))
  })
})

it('.editorconfig agrees with Biome', () => {
  const { formatter } = JSON.parse(read('biome.json'))
  const [, everywhere = ''] = read('.editorconfig').split(/^\[/m)
  const settings = Object.fromEntries([...everywhere.matchAll(/^(\w+) = (.+)$/gm)].map(([, k, v]) => [k, v]))
  expect(settings).toMatchObject({
    indent_style: formatter.indentStyle,
    indent_size: String(formatter.indentWidth),
    max_line_length: String(formatter.lineWidth),
    end_of_line: formatter.lineEnding,
  })
})

it('.nvmrc, README.md and engines name the same Node', () => {
  const [, oldest] = /^>=(\d+)$/.exec(engines.node) ?? []
  expect(read('.nvmrc').trim()).toBe(oldest)
  expect(read('README.md')).toContain(`an installed \`bankapi\` needs Node ${oldest}`)
})

/** The anchors of a page's headings, as GitHub makes them. */
function anchors(file: string): string[] {
  const headings = [
    ...read(file)
      .replaceAll(/^```.*?^```/gms, '')
      .matchAll(/^#+ (.*)$/gm),
  ]
  return headings.map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each([
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...globSync('docs/{,decisions/,commands/}*.md', { cwd: root }),
])('%s has no broken links', (file) => {
  const links = [...read(file).matchAll(/\]\(([^):#]*)(#[^)]*)?\)|(?:src|srcset)="([^":]+)"/g)]
  const broken = links.flatMap(([, page = '', anchor, image]) => {
    const path = (image ?? page) === '' ? file : join(dirname(file), image ?? page)
    if (!existsSync(join(root, path))) return [path]
    const isThere = anchor === undefined || anchors(path).includes(anchor.slice(1))
    return isThere ? [] : [`${path}${anchor}`]
  })
  expect(broken).toEqual([])
})

it('docs/decisions/README.md lists every decision', () => {
  const index = read('docs/decisions/README.md')
  const decisions = globSync('docs/decisions/[0-9]*.md', { cwd: root }).map((file) =>
    file.replace(/.*\//, ''),
  )
  expect(decisions.length).toBeGreaterThan(10)
  expect(decisions.filter((name) => !index.includes(`](${name})`))).toEqual([])
})
