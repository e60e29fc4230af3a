import { describe, expect, it } from 'vitest'
import { amountInWords } from './amount-in-words.ts'

describe('amountInWords', () => {
  it.each([
    [0, 'Zero and 00/100'],
    [0.05, 'Zero and 05/100'],
    [13.5, 'Thirteen and 50/100'],
    [20, 'Twenty and 00/100'],
    [99.99, 'Ninety-nine and 99/100'],
    [120, 'One hundred twenty and 00/100'],
    [1303.75, 'One thousand three hundred three and 75/100'],
    [2_000_021, 'Two million twenty-one and 00/100'],
    [0.999, 'One and 00/100'],
  ])('writes %d as %s', (amount, words) => {
    expect(amountInWords(amount)).toBe(words)
  })
})
