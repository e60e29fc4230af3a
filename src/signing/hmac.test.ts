import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { hmacHex, hmacMatches } from './hmac.ts'
import { nodeHmacMatches } from './node-hmac.ts'

const message = new TextEncoder().encode('1790000000.{}')

test('both implementations accept the same signatures', async () => {
  const hex = await hmacHex('whsec_a', message)
  const signatures: [string, boolean][] = [
    [hex, true],
    [hex.toUpperCase(), true],
    [`${hex}00`, false],
    [`00${hex}`, false],
    [hex.slice(2), false],
    [`${hex}\n`, false],
    [hex.replace(/./, 'g'), false],
    ['0'.repeat(64), false],
    ['', false],
  ]
  for (const [signature, accepted] of signatures) {
    expect(await hmacMatches('whsec_a', signature, message), signature).toBe(accepted)
    expect(await nodeHmacMatches('whsec_a', signature, message), signature).toBe(accepted)
  }
})

test('both give one signature for any secret and message, in memory of either kind', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ minLength: 1 }),
      fc.uint8Array({ maxLength: 200 }),
      async (secret, bytes) => {
        const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
        shared.set(bytes)
        const hex = await hmacHex(secret, shared)
        expect(await hmacMatches(secret, hex, bytes)).toBe(true)
        expect(await nodeHmacMatches(secret, hex, bytes)).toBe(true)
        expect(await hmacMatches(`${secret}x`, hex, bytes)).toBe(false)
        expect(await nodeHmacMatches(`${secret}x`, hex, bytes)).toBe(false)
      },
    ),
    { numRuns: 50 },
  )
})

test('a key is imported once and cannot be read back; of invented secrets the oldest gives way', async () => {
  const importKey = vi.spyOn(crypto.subtle, 'importKey')
  const imported = async (secret: string) => {
    importKey.mockClear()
    await hmacHex(secret, message)
    return importKey.mock.results.length
  }
  expect(await imported('kept')).toBe(1)
  expect((await importKey.mock.results[0]?.value)?.extractable).toBe(false)
  expect(await imported('kept')).toBe(0)
  for (let number = 1; number < 64; number++) await imported(`invented ${number}`)
  expect(await imported('kept')).toBe(0)
  expect(await imported('one too many')).toBe(1)
  expect(await imported('invented 1')).toBe(0)
  expect(await imported('kept')).toBe(1)
  importKey.mockRestore()
})
