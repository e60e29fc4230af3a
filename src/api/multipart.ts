/** A multipart/form-data body with one file, streamed, its length known before the first byte. */
import type { Upload } from '../contract/endpoint.ts'
import { InputError } from './errors.ts'
import type { WireBody } from './wire.ts'

/** The body and its Content-Type. `boundary` must not occur in the file; a random UUID will not. */
export function multipart(
  field: string,
  upload: Upload,
  boundary: string,
): { body: WireBody; contentType: string } {
  const text = new TextEncoder()
  const head = text.encode(
    `--${boundary}\r\n` +
      `Content-Disposition: form-data; name="${quoted(field)}"; filename="${quoted(upload.filename)}"\r\n` +
      `Content-Type: ${upload.contentType.replaceAll(/[^\x20-\x7e]/g, '')}\r\n\r\n`,
  )
  const tail = text.encode(`\r\n--${boundary}--\r\n`)
  const length = head.byteLength + upload.content.size + tail.byteLength

  async function* open(): AsyncGenerator<Uint8Array> {
    yield head
    try {
      for await (const chunk of upload.content.stream()) yield chunk as Uint8Array
    } catch (cause) {
      throw new InputError('unreadable_upload', `${upload.filename} could not be read to its end`, {
        param: field,
        hint: 'It may have changed while it was sent: try again',
        cause,
      })
    }
    yield tail
  }
  return { body: { length, open }, contentType: `multipart/form-data; boundary=${boundary}` }
}

/** As browsers do (WHATWG HTML, multipart form data). */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
