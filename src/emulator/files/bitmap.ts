/** A picture in shades of grey, and the few things drawn on it. */
import { cell, eachDot } from './bitmap-font.ts'

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

/** What lies outside the picture is left out. */
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
  /** Pixels there is room for; what does not fit is cut. */
  readonly room?: number
}

/** Draws ASCII text on one line. */
export function drawText(bitmap: Bitmap, text: string, { x, y, size, shade, room }: Lettering): void {
  const letters = room === undefined ? text.length : Math.floor(room / (cell.width * size))
  for (const [index, character] of [...text].slice(0, letters).entries()) {
    const left = x + index * cell.width * size
    eachDot(character, (column, row) => {
      fillBox(bitmap, { x: left + column * size, y: y + row * size, width: size, height: size }, shade)
    })
  }
}
