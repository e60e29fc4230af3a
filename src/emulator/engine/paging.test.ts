import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ServiceError } from './errors.ts'
import { mintCursor, openCursor, type QueryScope } from './paging.ts'

const scope = fc.array(fc.option(fc.oneof(fc.string(), fc.nat()), { nil: undefined }), { maxLength: 4 })
const position = fc.nat({ max: Number.MAX_SAFE_INTEGER })

test('a cursor opens for the exact query it was minted for', () => {
  fc.assert(
    fc.property(scope, position, (query: QueryScope, at) => {
      expect(openCursor('secret', query, mintCursor('secret', query, at))).toBe(at)
    }),
  )
})

test('for another query, under another secret, or changed anywhere it is refused', () => {
  fc.assert(
    fc.property(scope, scope, position, fc.nat({ max: 26 }), (query, other, at, place) => {
      const cursor = mintCursor('secret', query, at)
      const swapped = cursor[place] === 'x' ? 'y' : 'x'
      const changed = `${cursor.slice(0, place)}${swapped}${cursor.slice(place + 1)}`
      if (JSON.stringify(query) !== JSON.stringify(other)) {
        expect(() => openCursor('secret', other, cursor)).toThrow(ServiceError)
      }
      expect(() => openCursor('other', query, cursor)).toThrow(ServiceError)
      expect(() => openCursor('secret', query, changed)).toThrow(ServiceError)
    }),
  )
})

test('text that is no cursor is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(() => openCursor('secret', [], text)).toThrow(ServiceError)
    }),
  )
})
