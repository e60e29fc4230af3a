import fc from 'fast-check'
import { decode } from 'jpeg-js'
import { describe, expect, it } from 'vitest'
import { amountInWords, type CheckImage, checkJpeg } from './check-image.ts'

const check: CheckImage = {
  payTo: 'Østby Plumbing',
  amount: 303.75,
  checkNumber: '1042',
  date: '2026-05-18',
  memo: 'Invoice 2207',
  bankName: 'First Fir Bank',
}

/** The shades of grey that a decoder reads. */
function shades(file: Uint8Array): { width: number; height: number; pixels: number[] } {
  const { width, height, data } = decode(file, { useTArray: true })
  return {
    width,
    height,
    pixels: Array.from({ length: width * height }, (_, index) => data[index * 4] ?? -1),
  }
}

/** How many pixels of a region differ visibly between two checks. */
function difference(one: CheckImage, other: CheckImage, from: number, to: number): number {
  const [left, right] = [shades(checkJpeg(one)), shades(checkJpeg(other))]
  return left.pixels.filter((shade, index) => {
    const row = Math.floor(index / left.width)
    return row >= from && row < to && Math.abs(shade - (right.pixels[index] ?? 0)) > 60
  }).length
}

describe('checkJpeg', () => {
  it('is a baseline JPEG of 960 by 420 pixels', () => {
    const file = checkJpeg(check)
    expect([...file.subarray(0, 4)]).toEqual([0xff, 0xd8, 0xff, 0xe0])
    expect([...file.subarray(-2)]).toEqual([0xff, 0xd9])
    // Start of frame 0: baseline, 8 bits, height, width.
    expect(
      Buffer.from(file).includes(
        Buffer.from([0xff, 0xc0, 0, 17, 8, 420 >> 8, 420 & 255, 960 >> 8, 960 & 255]),
      ),
    ).toBe(true)
    expect(shades(file)).toMatchObject({ width: 960, height: 420 })
  })

  it('gives the same bytes for the same check', () => {
    expect(checkJpeg({ ...check })).toEqual(checkJpeg(check))
  })

  it('shows payee, amount, date, number, memo and bank, each where it belongs', () => {
    const places: [Partial<CheckImage>, from: number, to: number][] = [
      [{ bankName: 'Other' }, 28, 60],
      [{ date: '2026-12-31' }, 80, 112],
      [{ payTo: 'Somebody' }, 140, 190],
      [{ amount: 41 }, 140, 260],
      [{ memo: 'Other' }, 305, 345],
      [{ checkNumber: '9999' }, 28, 60],
    ]
    for (const [change, from, to] of places) {
      expect(difference(check, { ...check, ...change }, from, to), JSON.stringify(change)).toBeGreaterThan(20)
    }
  })

  it('leaves empty what the bank did not report, and takes any text', () => {
    expect(difference(check, { ...check, payTo: null }, 140, 190)).toBeGreaterThan(100)
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    fc.assert(
      fc.property(text, text, (payTo, memo) => shades(checkJpeg({ ...check, payTo, memo })).width === 960),
      { numRuns: 5 },
    )
  })
})

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
