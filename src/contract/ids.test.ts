import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ConnectionId, connectionIdForm, sourceOf } from './ids.ts'

describe('the two forms of a Connection id', () => {
  it('a placeholder is con_ and a UUID, whatever the UUID', () => {
    fc.assert(fc.property(fc.uuid(), (uuid) => connectionIdForm(`con_${uuid}`) === 'placeholder'))
  })

  it('a canonical id names its source and what the source calls it', () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/)
    const source = fc.constantFrom('AGGREGATOR_A', 'AGGREGATOR_B', 'FDE')
    fc.assert(
      fc.property(source, id, (name, rest) => {
        const connection = `con_${name}_${rest}`
        return connectionIdForm(connection) === 'canonical' && sourceOf(connection) === name
      }),
    )
  })

  it.each([
    '',
    'con_',
    'con_123',
    'acc_FDE_1',
    'con_FDE',
    'con_FDE_',
    'con_fde_1',
    'con_FDE_1/2',
    'con_FDE_ 1',
  ])('"%s" is neither', (id) => {
    expect(connectionIdForm(id)).toBeUndefined()
    expect(ConnectionId.safeParse(id).success).toBe(false)
  })

  it('a UUID that the source chose does not make a canonical id a placeholder', () => {
    const id = 'con_AGGREGATOR_B_1c9d4f0e-7a52-4b8f-9a1e-3c1f2d4b5a6c'
    expect(connectionIdForm(id)).toBe('canonical')
  })
})

it('the source segment is read from every id that has one', () => {
  expect(sourceOf('acc_AGGREGATOR_B_9')).toBe('AGGREGATOR_B')
  expect(sourceOf('txn_PDF_1')).toBe('PDF')
  expect(sourceOf('stmt_FDE_1')).toBe('FDE')
  expect(sourceOf('chk_FDE_1')).toBe('FDE')
  expect(sourceOf('cli_1')).toBeUndefined()
})
