import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import { describe, expect, it } from 'vitest'
import config from '../../.dependency-cruiser.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const fixtures = fileURLToPath(new URL('fixtures', import.meta.url))
const rules = (config.forbidden ?? []).map((rule) => rule.name ?? '')

/** Every violation of the project's rules under a folder, as `rule: from -> to`. */
async function violations(baseDir: string, folders: string[]): Promise<{ rule: string; text: string }[]> {
  const { enhancedResolveOptions, exclude, ...options } = config.options ?? {}
  const { output } = await cruise(
    folders,
    {
      ...options,
      ...(baseDir === root && exclude ? { exclude } : {}),
      baseDir,
      validate: true,
      ruleSet: { forbidden: config.forbidden ?? [] },
    },
    enhancedResolveOptions,
  )
  const { summary } = output as ICruiseResult
  expect(summary.totalCruised).toBeGreaterThan(0)
  return summary.violations.map(({ rule, from, to }) => ({
    rule: rule.name,
    text: `${rule.name}: ${from} -> ${to}`,
  }))
}

describe('the boundaries between the modules of src/', () => {
  it.each(rules)('%s is reported when it is broken', async (rule) => {
    const found = await violations(`${fixtures}/${rule}`, ['src'])
    expect(new Set(found.map((violation) => violation.rule))).toEqual(new Set([rule]))
  })

  it('imports that the table allows are not reported, nor those of tests', async () => {
    expect(await violations(`${fixtures}/allowed`, ['src'])).toEqual([])
  })

  it('every fixture belongs to a rule', () => {
    expect(readdirSync(fixtures).sort()).toEqual([...rules, 'allowed'].sort())
  })

  it('every module of src/ is in the table', () => {
    const modules = new Set(
      rules.filter((rule) => rule.endsWith('-boundary')).map((rule) => rule.replace(/-boundary$/, '')),
    )
    const folders = readdirSync(`${root}/src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    expect(folders.map(({ name }) => name).filter((name) => !modules.has(name))).toEqual([])
  })

  it('the real tree keeps every rule', async () => {
    const found = await violations(root, ['src', 'test', 'scripts', 'bin'])
    expect(found.map((violation) => violation.text)).toEqual([])
  })
})
