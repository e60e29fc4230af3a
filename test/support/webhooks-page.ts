/** The code on docs/receive-webhooks.md, for tests that run it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './built-program.ts'

/** The first code block of a language in docs/receive-webhooks.md that contains a text. */
export function webhooksExample(language: string, holding: string): string {
  const page = readFileSync(join(root, 'docs', 'receive-webhooks.md'), 'utf8')
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code]) => code ?? '',
  )
  const found = blocks.find((code) => code.includes(holding))
  if (found === undefined)
    throw new Error(`docs/receive-webhooks.md has no ${language} example with ${holding}`)
  return found
}
