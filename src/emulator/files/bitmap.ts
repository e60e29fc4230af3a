/** Draws boxes and text on a picture in shades of grey. */

export interface Bitmap {
  readonly width: number
  readonly height: number
  /** Row by row from the top, one byte a pixel: 0 is black, 255 white. */
  readonly pixels: Uint8Array
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export function createBitmap(width: number, height: number, shade: number): Bitmap {
  return { width, height, pixels: new Uint8Array(width * height).fill(shade) }
}

/** Fills the part of `box` that lies within the picture. */
export function fillBox(bitmap: Bitmap, { x, y, width, height }: Box, shade: number): void {
  const left = Math.max(x, 0)
  const right = Math.min(x + width, bitmap.width)
  if (right <= left) return
  for (let row = Math.max(y, 0); row < Math.min(y + height, bitmap.height); row += 1) {
    bitmap.pixels.fill(shade, row * bitmap.width + left, row * bitmap.width + right)
  }
}

/** The outline of `box`, `thickness` pixels inwards. */
export function drawFrame(bitmap: Bitmap, box: Box, thickness: number, shade: number): void {
  const { x, y, width, height } = box
  fillBox(bitmap, { x, y, width, height: thickness }, shade)
  fillBox(bitmap, { x, y: y + height - thickness, width, height: thickness }, shade)
  fillBox(bitmap, { x, y, width: thickness, height }, shade)
  fillBox(bitmap, { x: x + width - thickness, y, width: thickness, height }, shade)
}

export interface Lettering {
  /** Top left corner of the first letter. */
  readonly x: number
  readonly y: number
  /** Pixels per dot of a letter. */
  readonly size: number
  readonly shade: number
  /** Longer text is cut to this width. */
  readonly maxWidth?: number
}

/** Draws ASCII text on one line. */
export function drawText(bitmap: Bitmap, text: string, { x, y, size, shade, maxWidth }: Lettering): void {
  const letters = maxWidth === undefined ? text.length : Math.floor(maxWidth / (cell.width * size))
  for (const [index, character] of [...text].slice(0, letters).entries()) {
    const left = x + index * cell.width * size
    eachDot(character, (column, row) => {
      fillBox(bitmap, { x: left + column * size, y: y + row * size, width: size, height: size }, shade)
    })
  }
}

/**
 * The 5 by 7 dots of old character displays, for 0x20 to 0x7e in order. Ten hexadecimal digits a character: five columns
 * from left to right, one byte each, the lowest bit on top; the eighth bit hangs below the line (g, p, y).
 */
const dots = `
  0000000000 00005f0000 0007000700 147f147f14 242a7f2a12 2313086462 3649562050 0008070300
  001c224100 0041221c00 2a1c7f1c2a 08083e0808 0080703000 0808080808 0000606000 2010080402
  3e5149453e 00427f4000 7249494946 2141494d33 1814127f10 2745454539 3c4a494931 4121110907
  3649494936 464949291e 0000140000 0040340000 0008142241 1414141414 0041221408 0201590906
  3e415d594e 7c1211127c 7f49494936 3e41414122 7f4141413e 7f49494941 7f09090901 3e41415173
  7f0808087f 00417f4100 2040413f01 7f08142241 7f40404040 7f021c027f 7f0408107f 3e4141413e
  7f09090906 3e4151215e 7f09192946 2649494932 03017f0103 3f4040403f 1f2040201f 3f4038403f
  6314081463 0304780403 6159494d43 007f414141 0204081020 004141417f 0402010204 4040404040
  0003070800 2054547840 7f28444438 3844444428 384444287f 3854545418 00087e0902 18a4a49c78
  7f08040478 00447d4000 2040403d00 7f10284400 00417f4000 7c04780478 7c08040478 3844444438
  fc18242418 18242418fc 7c08040408 4854545424 04043f4424 3c4040207c 1c2040201c 3c4030403c
  4428102844 4c9090907c 4464544c44 0008364100 0000770000 0041360800 0201020402
`
  .trim()
  .split(/\s+/)

/** Dots from one character's left edge to the next one's, and of a line's height with what hangs below. */
const cell = { width: 6, height: 8 } as const

/** Calls `dot` with the column and row of each dot of `character`; those it has no shape for look like `?`. */
function eachDot(character: string, dot: (column: number, row: number) => void): void {
  const shape = dots[(character.codePointAt(0) ?? 0) - 0x20] ?? dots[0x3f - 0x20] ?? ''
  for (let column = 0; column < 5; column += 1) {
    const bits = Number.parseInt(shape.slice(column * 2, column * 2 + 2), 16)
    for (let row = 0; row < 8; row += 1) if (bits & (1 << row)) dot(column, row)
  }
}
