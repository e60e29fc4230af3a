import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test.each([
  ['con_FDE_1', 'con_FDE_1'],
  ['/home/a.b/left:1', '/home/a.b/left:1'],
  ['', "''"],
  ["con_$(x)'", String.raw`'con_$(x)'\'''`],
  ['a b;c\nd`e`"f" > g', '\'a b;c\nd`e`"f" > g\''],
])('%j is one word of a shell: %s', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted)
  expect(execFileSync('sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' })).toBe(word)
})
