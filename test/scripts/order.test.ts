import { expect, it } from 'vitest'
import { shuffled } from '../../scripts/test/order.ts'

const shuffle = ['--sequence.shuffle.files', '--sequence.shuffle.tests']

it('npm test runs files and tests in a random order, and prints how to repeat it', () => {
  expect(shuffled(['test/api'], () => 12_345)).toEqual({
    args: ['test/api', ...shuffle, '--sequence.seed=12345'],
    hint: 'seed 12345: npm test -- test/api --sequence.seed=12345 repeats this order',
  })
})

it('a given seed is used', () => {
  const { args, hint } = shuffled(['--sequence.seed=7', 'test/api'], () => 12_345)
  expect(args).toEqual(['test/api', ...shuffle, '--sequence.seed=7'])
  expect(hint).toBe('seed 7: npm test -- test/api --sequence.seed=7 repeats this order')
})

it('the order differs from run to run', () => {
  const orders = new Set(Array.from({ length: 20 }, () => shuffled([]).hint))
  expect(orders.size).toBeGreaterThan(1)
})
