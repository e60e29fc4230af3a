import fc from 'fast-check'
import { decode } from 'jpeg-js'
import { describe, expect, it } from 'vitest'
import { type Bitmap, createBitmap } from './bitmap.ts'
import { type CheckImage, checkJpeg } from './check-image.ts'
import { jpeg } from './jpeg.ts'

const check: CheckImage = {
  payTo: 'Østby Plumbing',
  amount: 303.75,
  checkNumber: '1042',
  date: '2026-05-18',
  memo: 'Invoice 2207',
  bankName: 'First Fir Bank',
}

/** Shades of grey as an independent decoder sees them. */
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
  it('is a baseline JPEG that another decoder reads', () => {
    const file = checkJpeg(check)
    expect([...file.subarray(0, 4)]).toEqual([0xff, 0xd8, 0xff, 0xe0])
    expect([...file.subarray(-2)]).toEqual([0xff, 0xd9])
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

describe('jpeg', () => {
  const pictures = fc
    .record({
      width: fc.integer({ min: 1, max: 40 }),
      height: fc.integer({ min: 1, max: 40 }),
      seed: fc.nat(255),
    })
    .map(({ width, height, seed }): Bitmap => {
      const bitmap = createBitmap(width, height, 0)
      for (let index = 0; index < width * height; index += 1) {
        bitmap.pixels[index] = Math.round(
          127 + 100 * Math.sin((seed + (index % width) + Math.floor(index / width)) / 6),
        )
      }
      return bitmap
    })

  it('keeps the shades of a soft picture of any size', () => {
    fc.assert(
      fc.property(pictures, (bitmap) => {
        const { width, height, pixels } = shades(jpeg(bitmap))
        expect([width, height]).toEqual([bitmap.width, bitmap.height])
        for (const [index, shade] of pixels.entries()) {
          expect(Math.abs(shade - (bitmap.pixels[index] ?? 0))).toBeLessThanOrEqual(24)
        }
      }),
    )
  })

  it('keeps black and white apart in a picture of hard edges', () => {
    const bitmap = createBitmap(64, 64, 255)
    for (let index = 0; index < 64 * 64; index += 1) if ((index >> 2) % 3 === 0) bitmap.pixels[index] = 0
    const { pixels } = shades(jpeg(bitmap))
    for (const [index, shade] of pixels.entries()) expect(shade > 128).toBe((bitmap.pixels[index] ?? 0) > 128)
  })

  it('refuses a picture that cannot be', () => {
    expect(() => jpeg(createBitmap(0, 5, 0))).toThrow(RangeError)
  })
})
