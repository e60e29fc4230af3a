import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ascii, winAnsi } from './plain-text.ts'

describe('winAnsi', () => {
  it('keeps what a PDF’s standard fonts can show, composed or not', () => {
    expect(winAnsi('CAFÉ SEÑORA LUZ – 3 €')).toBe('CAFÉ SEÑORA LUZ – 3 €')
    expect(winAnsi('CAFE\u0301')).toBe('CAFÉ')
  })

  it('shows a plain letter where there is one, and ? where there is none', () => {
    expect(winAnsi('ŁÓDŹ Tōzai')).toBe('LÓDZ Tozai')
    expect(winAnsi('すし 🍣\n')).toBe('?? ? ')
  })
})

describe('ascii', () => {
  it('leaves only printable ASCII, whatever comes in', () => {
    expect(ascii('Østby’s “Rørlegger” – No. 5')).toBe('Ostby\'s "Rorlegger" - No. 5')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(ascii(text)).toMatch(/^[ -~]*$/)
      }),
    )
  })
})
