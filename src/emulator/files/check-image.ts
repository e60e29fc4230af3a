/** Draws the front of a check as a JPEG. */
import { encode } from 'jpeg-js'
import { ascii } from '../catalog/plain-text.ts'
import { type Bitmap, createBitmap, drawFrame, drawText, fillBox } from './bitmap.ts'

/** The text on it; null where it stays empty. */
export interface CheckImage {
  readonly payTo: string | null
  /** In major units. */
  readonly amount: number
  readonly checkNumber: string
  /** YYYY-MM-DD */
  readonly date: string
  readonly memo: string | null
  readonly bankName: string
}

const width = 960
const height = 420
const ink = 40
const print = 110

/** The bytes of a JPEG, 960 by 420 pixels in shades of grey. The same check gives the same bytes. */
export function checkJpeg(check: CheckImage): Uint8Array {
  const bitmap = createBitmap(width, height, 236)
  drawPaper(bitmap)
  drawForm(bitmap, check)
  drawWriting(bitmap, check)
  return jpeg(bitmap)
}

/** Lines and letters stay sharp, at about 95 KB. */
const quality = 90

function jpeg({ width, height, pixels }: Bitmap): Uint8Array {
  const data = new Uint8Array(pixels.length * 4)
  for (const [index, shade] of pixels.entries()) data.fill(shade, index * 4, index * 4 + 3)
  return encode({ width, height, data }, quality).data
}

function drawPaper(bitmap: Bitmap): void {
  for (let y = 12; y < height - 70; y += 8) fillBox(bitmap, { x: 12, y, width: width - 24, height: 1 }, 226)
  drawFrame(bitmap, { x: 8, y: 8, width: width - 16, height: height - 16 }, 3, print)
  drawText(bitmap, 'SPECIMEN - EMULATED, NOT PAYABLE', { x: 470, y: 290, size: 2, shade: 190 })
}

/** Draws the text that the bank printed. */
function drawForm(bitmap: Bitmap, { bankName, checkNumber }: CheckImage): void {
  const small = { size: 2, shade: print }
  drawText(bitmap, ascii(bankName), { x: 36, y: 32, size: 3, shade: ink, maxWidth: 600 })
  drawText(bitmap, ascii(checkNumber), { x: 800, y: 32, size: 3, shade: ink, maxWidth: 130 })
  drawText(bitmap, 'DATE', { x: 600, y: 92, ...small })
  fillBox(bitmap, { x: 660, y: 110, width: 262, height: 2 }, print)
  drawText(bitmap, 'PAY TO THE', { x: 36, y: 146, ...small })
  drawText(bitmap, 'ORDER OF', { x: 36, y: 166, ...small })
  fillBox(bitmap, { x: 170, y: 184, width: 510, height: 2 }, print)
  drawText(bitmap, '$', { x: 690, y: 156, size: 3, shade: ink })
  drawFrame(bitmap, { x: 716, y: 144, width: 206, height: 44 }, 2, print)
  fillBox(bitmap, { x: 36, y: 250, width: 780, height: 2 }, print)
  drawText(bitmap, 'DOLLARS', { x: 830, y: 236, ...small })
  drawText(bitmap, 'MEMO', { x: 36, y: 322, ...small })
  fillBox(bitmap, { x: 96, y: 340, width: 350, height: 2 }, print)
  fillBox(bitmap, { x: 560, y: 340, width: 362, height: 2 }, print)
  // Where the account would stand in magnetic ink: a routing number no bank has.
  drawText(bitmap, `|:000000000|:  00000000||'  ${ascii(checkNumber)}`, {
    x: 120,
    y: 366,
    size: 3,
    shade: ink,
    maxWidth: 780,
  })
}

/** Draws the text that the payer wrote. */
function drawWriting(bitmap: Bitmap, { payTo, amount, date, memo }: CheckImage): void {
  const hand = { size: 3, shade: ink }
  const digits = amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  const inWords = amountInWords(amount)
  drawText(bitmap, date, { x: 672, y: 84, ...hand })
  drawText(bitmap, ascii(payTo ?? ''), { x: 178, y: 158, ...hand, maxWidth: 500 })
  drawText(bitmap, digits, { x: 728, y: 156, ...hand, maxWidth: 190 })
  drawText(bitmap, inWords, { x: 44, y: 224, ...hand, size: inWords.length > 42 ? 2 : 3, maxWidth: 770 })
  drawText(bitmap, ascii(memo ?? ''), { x: 104, y: 314, ...hand, maxWidth: 340 })
  drawText(bitmap, 'A. Specimen', { x: 600, y: 312, ...hand })
}

const small = (
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
  'sixteen seventeen eighteen nineteen'
).split(' ')
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety']
const scales = [
  [1_000_000_000, 'billion'],
  [1_000_000, 'million'],
  [1000, 'thousand'],
  [100, 'hundred'],
] as const

/** The amount as written on a check: `One hundred twenty and 05/100`. `amount` in major units, not negative. */
export function amountInWords(amount: number): string {
  const cents = Math.round(amount * 100)
  const whole = words(Math.floor(cents / 100))
  return `${whole.charAt(0).toUpperCase()}${whole.slice(1)} and ${String(cents % 100).padStart(2, '0')}/100`
}

function words(count: number): string {
  const scale = scales.find(([size]) => count >= size)
  if (scale) {
    const [size, name] = scale
    const rest = count % size
    return `${words(Math.floor(count / size))} ${name}${rest === 0 ? '' : ` ${words(rest)}`}`
  }
  if (count < 20) return small[count] ?? ''
  const rest = count % 10
  return `${tens[Math.floor(count / 10)]}${rest === 0 ? '' : `-${words(rest)}`}`
}
