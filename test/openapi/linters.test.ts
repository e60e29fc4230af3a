/** Checks the document with the linters that its readers use. */
import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { describe, expect, test } from 'vitest'
import { recordedDocument } from '../../src/openapi/openapi.ts'
import agreed from './agreed-findings.json' with { type: 'json' }

interface Finding {
  readonly rule: string
  readonly at: string
  readonly text: string
}

async function byRedocly(document: object): Promise<Finding[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const found = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/openapi.json',
    config,
  })
  return found.map(({ ruleId, message, location: [place] }) => ({
    rule: ruleId,
    at: `${ruleId} at ${place?.pointer}`,
    text: `${ruleId} at ${place?.pointer}: ${message}`,
  }))
}

async function bySpectral(document: object): Promise<Finding[]> {
  const linter = new spectral.Spectral()
  linter.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] })
  const found = await linter.run(document as Record<string, unknown>)
  return found.map(({ code, message, path }) => ({
    rule: String(code),
    at: `${code} at ${path.join('/')}`,
    text: `${code} at ${path.join('/')}: ${message}`,
  }))
}

/** The agreed finding that it is: of a rule wherever it is found, or at one place. */
const agreedAs = ({ rule, at }: Finding) => [rule, at].find((one) => Object.hasOwn(agreed, one))

const notAgreed = (findings: readonly Finding[]) =>
  findings.filter((one) => agreedAs(one) === undefined).map(({ text }) => text)

const document = recordedDocument({ version: '3.1' })

test.each(['3.1', '3.2'] as const)('Redocly finds nothing in %s but what is agreed', async (version) => {
  expect(notAgreed(await byRedocly(recordedDocument({ version })))).toEqual([])
})

test('Spectral finds nothing in 3.1 but what is agreed', async () => {
  expect(notAgreed(await bySpectral(document))).toEqual([])
})

test('each agreed finding is still one', async () => {
  const found = [...(await byRedocly(document)), ...(await bySpectral(document))].map(agreedAs)
  expect([...new Set(found)].sort()).toEqual(Object.keys(agreed).sort())
})

describe('the linters notice', () => {
  const { paths, ...rest } = document
  const broken = {
    ...rest,
    paths: { ...(paths as object), '/broken/{id}': { get: { operationId: 'accounts_list', responses: {} } } },
  }

  test.each([
    ['Redocly', byRedocly, 'operation-operationId-unique'],
    ['Spectral', bySpectral, 'operation-operationId-unique'],
  ] as const)('%s an id that is there twice', async (_, lint, rule) => {
    expect((await lint(broken)).map((finding) => finding.rule)).toContain(rule)
  })
})
