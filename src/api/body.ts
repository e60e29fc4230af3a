/** Reads a body: decompresses it, and collects it up to a limit or passes it on as a stream. */
import { finished, type Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GrowingBuffer } from '../growing-buffer.ts'

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
export async function collect(
  body: Readable,
  encoding: string | undefined,
  limit: number,
): Promise<Uint8Array> {
  const source = await decoded(body, encoding)
  // Most bodies come in one piece, which is not copied.
  let first: Uint8Array | undefined
  let whole: GrowingBuffer | undefined
  return new Promise((resolve, reject) => {
    // Events, not `for await`: for the many small pages of a list they take half the time.
    source.on('data', (chunk: Buffer) => {
      if (first === undefined && chunk.byteLength <= limit) {
        first = chunk
        return
      }
      whole ??= startedWith(first, limit)
      if (!whole.append(chunk)) source.destroy(new TooLarge(`more than ${limit} bytes`))
    })
    finished(source, { writable: false }, (failure) =>
      failure ? reject(failure) : resolve(whole?.bytes() ?? first ?? new Uint8Array()),
    )
  })
}

function startedWith(first: Uint8Array | undefined, limit: number): GrowingBuffer {
  const buffer = new GrowingBuffer(limit)
  if (first !== undefined) buffer.append(first)
  return buffer
}

/** The body piece by piece, decompressed. Stopping early destroys it. */
export async function* stream(body: Readable, encoding: string | undefined): AsyncGenerator<Uint8Array> {
  yield* await decoded(body, encoding)
}

async function decoded(body: Readable, encoding: string | undefined): Promise<Readable> {
  const name = encoding?.trim().toLowerCase() ?? ''
  if (name === '' || name === 'identity') return body
  const decoder = await decoderFor(name)
  if (!decoder) {
    body.destroy()
    throw new UnknownEncoding(name)
  }
  // A failure of either one is thrown where the decoder is read.
  pipeline(body, decoder).catch(() => {})
  return decoder
}

async function decoderFor(encoding: string): Promise<Transform | undefined> {
  const zlib = await import('node:zlib')
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.createGunzip()
  if (encoding === 'deflate') return zlib.createInflate()
  return encoding === 'br' ? zlib.createBrotliDecompress() : undefined
}
