import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { environmentVariables } from '../../src/cli/environment-variables.ts'
import { exitCodes } from '../../src/cli/exit-codes.ts'
import { createHome } from '../support/cli.ts'

const topics = ['environment', 'exit-codes', 'formatting', 'webhooks']

async function help(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await createHome().run(args)
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

describe('help topics', () => {
  it('are listed by `bankapi help`', async () => {
    const [, list = ''] = (await help('help')).split('HELP TOPICS')
    for (const topic of topics) expect(list).toMatch(new RegExp(`^ {2}${topic} +\\w`, 'm'))
  })

  it.each(topics)('%s: `bankapi help` and `--help` say the same, in 80 columns', async (topic) => {
    const text = await help('help', topic)
    expect(await help(topic, '--help')).toBe(text)
    for (const line of text.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80)
  })

  it('webhooks is an area and a topic: its commands come first, then the explanation', async () => {
    const text = await help('help', 'webhooks')
    expect(text.indexOf('webhooks listen')).toBeLessThan(text.indexOf('WEBHOOKS ON YOUR MACHINE'))
    expect(await help('help', 'webhooks', 'listen')).not.toContain('WEBHOOKS ON YOUR MACHINE')
  })

  it('exit-codes has every code with its meaning', async () => {
    const text = (await help('help', 'exit-codes')).replaceAll(/\s+/g, ' ')
    for (const { code, meaning } of Object.values(exitCodes)) expect(text).toContain(` ${code} ${meaning}`)
  })

  it('a topic that is run as a command names the help', async () => {
    const { code, stderr } = await createHome().run(['environment'])
    expect(code).toBe(2)
    expect(stderr).toContain('bankapi help environment')
  })
})

it('every BANKAPI_ variable that the code reads is in `bankapi help environment`', () => {
  const named = environmentVariables.flatMap(({ name }) => name.split(', '))
  const root = new URL('../../src/', import.meta.url)
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !file.includes('.test.'),
  )
  const read = sources.flatMap((file) => [
    ...readFileSync(new URL(file, root), 'utf8').matchAll(/\bBANKAPI_[A-Z_]*[A-Z]\b/g),
  ])
  expect(named).toEqual(expect.arrayContaining([...new Set(read.map(([name]) => name))]))
})
