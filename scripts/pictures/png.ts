/** A note in a PNG file, by which one can tell which text it shows. */
import { crc32 } from 'node:zlib'

const keyword = 'shows'
const headerLength = 8 + 25

/** The PNG with a text chunk behind its header. */
export function withDigest(png: Uint8Array, digest: string): Uint8Array {
  const body = Buffer.from(`tEXt${keyword}\0${digest}`, 'latin1')
  const chunk = Buffer.alloc(body.length + 8)
  chunk.writeUInt32BE(body.length - 4)
  body.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(body), body.length + 4)
  return Buffer.concat([png.subarray(0, headerLength), chunk, png.subarray(headerLength)])
}
