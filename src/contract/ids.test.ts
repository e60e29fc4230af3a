import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConnectionId, connectionIdForm, isOfSource } from './ids.ts'

describe('the two forms of a Connection id', () => {
  it('a placeholder is con_ and a UUID, whatever the UUID', () => {
    fc.assert(fc.property(fc.uuid(), (uuid) => connectionIdForm(`con_${uuid}`) === 'placeholder'))
  })

  it('con_<SOURCE>_<id>: the source may have any name, also one that holds the separator', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/)
    const source = fc.oneof(
      fc.constantFrom('AGGREGATOR_A', 'AGGREGATOR_B', 'FDE'),
      fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,20}$/),
    )
    fc.assert(
      fc.property(source, id, (name, rest) => {
        const connection = `con_${name}_${rest}`
        return connectionIdForm(connection) === 'canonical' && isOfSource(connection, name)
      }),
    )
  })

  it.each(['', 'con_', 'con_123', 'acc_FDE_1', 'con_FDE', 'con_FDE_', 'con_FDE_1/2', 'con_FDE_ 1'])(
    '"%s" is neither',
    (id) => {
      expect(connectionIdForm(id)).toBeUndefined()
      expect(ConnectionId.safeParse(id).success).toBe(false)
    },
  )

  it('a UUID that the source chose does not make a canonical id a placeholder', () => {
    const id = 'con_AGGREGATOR_B_1c9d4f0e-7a52-4b8f-9a1e-3c1f2d4b5a6c'
    expect(connectionIdForm(id)).toBe('canonical')
  })
})

it.each(['con_mx_123', 'con_NEW_SOURCE_C_9', 'con_Plaid2_x'])('%s is canonical', (id) => {
  expect(connectionIdForm(id)).toBe('canonical')
  expect(ConnectionId.safeParse(id).success).toBe(true)
})

it('the source is compared with the one that the service says, never cut out of the id', () => {
  expect(isOfSource('con_NEW_SOURCE_C_9', 'NEW_SOURCE_C')).toBe(true)
  expect(isOfSource('con_AGGREGATOR_A_9', 'AGGREGATOR_B')).toBe(false)
  expect(isOfSource('con_FDE_9', 'PDF')).toBe(false)
})
