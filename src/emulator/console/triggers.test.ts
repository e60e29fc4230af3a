import { describe, expect, test } from 'vitest'
import { offersFor } from './triggers.ts'

const offered = (institution_id: string, change: object = {}) =>
  offersFor({
    institution_id,
    status: 'requires_action',
    reached_active: 0,
    recovered: 0,
    locked: 0,
    ...change,
  }).map(({ name }) => name)

describe('before the user has finished the widget', () => {
  test.each(['ins_b_denied', 'ins_b_locked', 'ins_a_down'])(
    '%s, which refuses the sign-in, can work again, once',
    (id) => {
      expect(offered(id)).toEqual(['finish', 'recover'])
      expect(offered(id, { recovered: 1 })).toEqual(['finish'])
    },
  )

  test('so can any bank that has locked the account, and no other', () => {
    expect(offered('ins_b_ok', { locked: 1 })).toEqual(['finish', 'recover'])
    expect(offered('ins_b_ok')).toEqual(['finish'])
  })
})

test('a Connection that was linked is not finished again', () => {
  expect(offered('ins_b_ok', { reached_active: 1 })).toEqual(['sign-in-again', 'recover', 'stop'])
})
