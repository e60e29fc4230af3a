import { expect, test } from 'vitest'
import { linesOf } from './lines.ts'

async function linesIn(chunks: readonly string[], max = 10): Promise<(string | undefined)[]> {
  async function* input() {
    for (const chunk of chunks) yield Buffer.from(chunk)
  }
  const lines = await Array.fromAsync(linesOf(input(), max))
  return lines.map((line) => line && Buffer.from(line).toString())
}

test('lines come whole, however they are cut; blank ones are left out', async () => {
  expect(await linesIn(['{"a"', ':1}\n\n  \r\n{', '}\n[]'])).toEqual(['{"a":1}', '{}', '[]'])
})

test('a line that is too long is undefined, and the next one is read', async () => {
  expect(await linesIn(['12345', '6789', '01234\nab\n', '12345678901'])).toEqual([undefined, 'ab', undefined])
})
