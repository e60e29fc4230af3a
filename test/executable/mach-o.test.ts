import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { signed } from '../../scripts/executable/mach-o.ts'

/** A Mach-O executable with the segments that signing looks at, and no code. */
function unsigned({ linkeditSize = 100, magic = 0xfeedfacf } = {}): Buffer {
  const file = Buffer.alloc(0x8000 + 100, 7)
  file.fill(0, 0, 0x4000)
  for (const [index, value] of [magic, 0x100000c, 0, 2, 2, 144].entries())
    file.writeUInt32LE(value, 4 * index)
  const segment = (at: number, name: string, offset: number, size: number) => {
    file.writeUInt32LE(0x19, at)
    file.writeUInt32LE(72, at + 4)
    file.write(name, at + 8)
    file.writeBigUInt64LE(BigInt(offset), at + 40)
    file.writeBigUInt64LE(BigInt(size), at + 48)
  }
  segment(32, '__TEXT', 0, 0x8000)
  segment(104, '__LINKEDIT', 0x8000, linkeditSize)
  return file
}

test('every page has its hash, and the load command and __LINKEDIT take the signature in', () => {
  const file = signed(unsigned(), 'bankapi')
  expect([file.readUInt32LE(16), file.readUInt32LE(20)]).toEqual([3, 160])
  const [start, length] = [file.readUInt32LE(184), file.readUInt32LE(188)]
  expect([file.readUInt32LE(176), start]).toEqual([0x1d, 0x8000 + 112])
  expect(start + length).toBe(file.length)
  expect(file.readBigUInt64LE(104 + 48)).toBe(BigInt(file.length - 0x8000))
  expect(file.readBigUInt64LE(104 + 32)).toBe(0x4000n)

  const signature = file.subarray(start)
  expect([0, 4, 8, 12, 16].map((offset) => signature.readUInt32BE(offset))).toEqual([
    0xfade0cc0,
    length,
    1,
    0,
    20,
  ])
  const directory = signature.subarray(20)
  expect(directory.readUInt32BE(0)).toBe(0xfade0c02)
  expect(directory.readUInt32BE(12) & 2, 'CS_ADHOC').toBe(2)
  const [hashes, identifier] = [directory.readUInt32BE(16), directory.readUInt32BE(20)]
  const [count, limit] = [directory.readUInt32BE(28), directory.readUInt32BE(32)]
  expect([count, limit]).toEqual([9, start])
  expect(directory.toString('latin1', identifier, identifier + 8)).toBe('bankapi\0')
  const pages = Array.from({ length: count }, (_, page) =>
    createHash('sha256')
      .update(file.subarray(page * 4096, Math.min((page + 1) * 4096, limit)))
      .digest('hex'),
  )
  const found = pages.map((_, page) =>
    directory.toString('hex', hashes + 32 * page, hashes + 32 * (page + 1)),
  )
  expect(found).toEqual(pages)
})

test('a file that is something else, has more after its end, or is signed already, is refused', () => {
  expect(() => signed(unsigned({ magic: 0x464c457f }), 'bankapi')).toThrow('not a Mach-O')
  expect(() => signed(unsigned({ linkeditSize: 90 }), 'bankapi')).toThrow('not the end')
  expect(() => signed(signed(unsigned(), 'bankapi'), 'bankapi')).toThrow('signed already')
})
