/** The tables of ITU-T T.81 (JPEG), Annex K, for a picture in shades of grey. */

/** Row-major positions in the order the coefficients are written. */
export const zigzag: readonly number[] = Array.from({ length: 64 }, (_, index) => index).sort(
  (one, other) => {
    const [diagonalOne, diagonalOther] = [diagonal(one), diagonal(other)]
    if (diagonalOne !== diagonalOther) return diagonalOne - diagonalOther
    // Odd diagonals run downwards, even ones upwards.
    return diagonalOne % 2 === 1 ? one - other : other - one
  },
)

function diagonal(index: number): number {
  return (index >> 3) + (index & 7)
}

/** Luminance quantisation, row-major, at half strength: lines and letters stay sharp. */
export const quantisation: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
  29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
  121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
].map((step) => Math.ceil(step / 2))

/** A Huffman table as it stands in the file: how many codes of each length from 1 to 16 bits, and their symbols. */
export interface HuffmanTable {
  readonly lengths: readonly number[]
  readonly symbols: readonly number[]
}

export const dcTable: HuffmanTable = {
  lengths: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0],
  symbols: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
}

const acSymbols =
  '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728' +
  '292a3435363738393a434445464748494a535455565758595a636465666768696a737475767778797a83848586878889' +
  '8a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2' +
  'e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa'

export const acTable: HuffmanTable = {
  lengths: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
  symbols: [...Buffer.from(acSymbols, 'hex')],
}
