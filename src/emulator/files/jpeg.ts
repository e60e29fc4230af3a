/** Writes a picture in shades of grey as a baseline JPEG (ITU-T T.81, JFIF 1.01). */
import type { Bitmap } from './bitmap.ts'
import { acTable, dcTable, type HuffmanTable, quantisation, zigzag } from './jpeg-tables.ts'

/** The bytes of the file. The same picture gives the same bytes. Throws RangeError on a picture without pixels. */
export function jpeg(bitmap: Bitmap): Uint8Array {
  const { width, height } = bitmap
  if (width < 1 || height < 1 || width > 0xffff || height > 0xffff) {
    throw new RangeError(`a JPEG of ${width} by ${height} pixels cannot be`)
  }
  return Uint8Array.from([
    ...[0xff, 0xd8],
    ...segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 1, 0, 96, 0, 96, 0, 0]),
    ...segment(0xdb, [0, ...zigzag.map((position) => quantisation[position] ?? 0)]),
    ...segment(0xc0, [8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0]),
    ...segment(0xc4, [0x00, ...dcTable.lengths, ...dcTable.symbols]),
    ...segment(0xc4, [0x10, ...acTable.lengths, ...acTable.symbols]),
    ...segment(0xda, [1, 1, 0x00, 0, 63, 0]),
    ...scan(bitmap),
    ...[0xff, 0xd9],
  ])
}

function segment(marker: number, content: readonly number[]): number[] {
  const length = content.length + 2
  return [0xff, marker, length >> 8, length & 0xff, ...content]
}

type Codes = ReadonlyMap<number, { readonly code: number; readonly bits: number }>

function codesOf({ lengths, symbols }: HuffmanTable): Codes {
  const codes = new Map<number, { code: number; bits: number }>()
  let code = 0
  let next = 0
  for (const [index, count] of lengths.entries()) {
    for (const symbol of symbols.slice(next, next + count)) {
      codes.set(symbol, { code, bits: index + 1 })
      code += 1
    }
    next += count
    code <<= 1
  }
  return codes
}

const dcCodes = codesOf(dcTable)
const acCodes = codesOf(acTable)

function scan(bitmap: Bitmap): number[] {
  const writer = bitWriter()
  let previous = 0
  for (let y = 0; y < bitmap.height; y += 8) {
    for (let x = 0; x < bitmap.width; x += 8) previous = writeBlock(writer, blockAt(bitmap, x, y), previous)
  }
  return writer.end()
}

/** Eight by eight pixels around zero; the last column and row repeat where the picture ends. */
function blockAt({ width, height, pixels }: Bitmap, left: number, top: number): Float64Array {
  const block = new Float64Array(64)
  for (let index = 0; index < 64; index += 1) {
    const x = Math.min(left + (index & 7), width - 1)
    const y = Math.min(top + (index >> 3), height - 1)
    block[index] = (pixels[y * width + x] ?? 0) - 128
  }
  return block
}

/** `cosines[u * 8 + x]`: the basis of the discrete cosine transform, scaled to be orthonormal. */
const cosines = Float64Array.from({ length: 64 }, (_, index) => {
  const [u, x] = [index >> 3, index & 7]
  return (u === 0 ? Math.SQRT1_2 : 1) * 0.5 * Math.cos(((2 * x + 1) * u * Math.PI) / 16)
})

/** Transforms the rows and turns the block: twice over is the transform in both directions, the right way up. */
function transformRows(block: Float64Array): Float64Array {
  const turned = new Float64Array(64)
  for (let row = 0; row < 8; row += 1) {
    for (let u = 0; u < 8; u += 1) {
      let sum = 0
      for (let x = 0; x < 8; x += 1) sum += (block[row * 8 + x] ?? 0) * (cosines[u * 8 + x] ?? 0)
      turned[u * 8 + row] = sum
    }
  }
  return turned
}

/** Returns the DC coefficient: the next block states its own as the difference from it. */
function writeBlock(writer: BitWriter, block: Float64Array, previous: number): number {
  const frequencies = transformRows(transformRows(block))
  const [dc = 0, ...ac] = zigzag.map((at) => Math.round((frequencies[at] ?? 0) / (quantisation[at] ?? 1)))
  writeNumber(writer, dcCodes, 0, dc - previous)
  let zeros = 0
  for (const value of ac) {
    if (value === 0) {
      zeros += 1
      continue
    }
    for (; zeros > 15; zeros -= 16) writeSymbol(writer, acCodes, 0xf0)
    writeNumber(writer, acCodes, zeros, value)
    zeros = 0
  }
  if (zeros > 0) writeSymbol(writer, acCodes, 0x00)
  return dc
}

/** A number as its size in bits (with the zeros before it) and the bits themselves, a negative one less one. */
function writeNumber(writer: BitWriter, codes: Codes, zeros: number, value: number): void {
  const bits = value === 0 ? 0 : 32 - Math.clz32(Math.abs(value))
  writeSymbol(writer, codes, (zeros << 4) | bits)
  writer.write(value < 0 ? value + 2 ** bits - 1 : value, bits)
}

function writeSymbol(writer: BitWriter, codes: Codes, symbol: number): void {
  const entry = codes.get(symbol)
  if (!entry) throw new RangeError(`no Huffman code for ${symbol}`)
  writer.write(entry.code, entry.bits)
}

interface BitWriter {
  /** The lowest `bits` of `value`, highest first. */
  write(value: number, bits: number): void
  /** Fills the last byte with ones and gives everything written. */
  end(): number[]
}

function bitWriter(): BitWriter {
  const bytes: number[] = []
  let held = 0
  let count = 0
  const write = (value: number, bits: number): void => {
    for (let bit = bits - 1; bit >= 0; bit -= 1) {
      held = (held << 1) | ((value >> bit) & 1)
      count += 1
      if (count < 8) continue
      bytes.push(held)
      // In the scan an FF would begin a marker: a zero after it says it does not.
      if (held === 0xff) bytes.push(0)
      held = 0
      count = 0
    }
  }
  return {
    write,
    end() {
      if (count > 0) write(0xff, 8 - count)
      return bytes
    },
  }
}
