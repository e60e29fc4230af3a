/** Bodies as they arrive: decompressed, counted, and either collected up to a limit or passed on as a stream. */
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { WireReply } from './transport.ts'

type Body = WireReply['body']

/** The body is larger than the caller wants in memory. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** The body is compressed in a way that was not asked for. */
export class UnknownEncoding extends Error {
  override readonly name = 'UnknownEncoding'
}

/**
 * The whole body, decompressed, of at most `limit` bytes. Whatever happens, the body is used up or destroyed.
 * @throws TooLarge as soon as the limit is passed, UnknownEncoding, and what the stream itself fails with.
 */
export async function collect(body: Body, encoding: string | undefined, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  const take = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.byteLength
      if (size > limit) throw new TooLarge(`more than ${limit} bytes`)
      chunks.push(chunk)
    }
  }
  const decoder = await decoderFor(body, encoding)
  if (decoder) await pipeline(body, decoder, take)
  else await pipeline(body, take)
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** The body piece by piece, decompressed. Stopping early destroys it. */
export async function* stream(body: Body, encoding: string | undefined): AsyncGenerator<Uint8Array> {
  const decoder = await decoderFor(body, encoding)
  if (!decoder) {
    yield* body
    return
  }
  const feeding = pipeline(body, decoder)
  // The failure surfaces where the decoder is read.
  feeding.catch(() => {})
  yield* decoder
}

async function decoderFor(body: Body, encoding: string | undefined): Promise<Transform | undefined> {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return undefined
  const zlib = await import('node:zlib')
  if (name === 'gzip' || name === 'x-gzip') return zlib.createGunzip()
  if (name === 'deflate') return zlib.createInflate()
  if (name === 'br') return zlib.createBrotliDecompress()
  body.destroy()
  throw new UnknownEncoding(name)
}
