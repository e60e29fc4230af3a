/** Request bodies: read whole, kept as they came (signatures are over the bytes), JSON parsed strictly. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../engine/problem.ts'

/** A body as it arrived; `json` undefined when it was not JSON by its media type. */
export interface Received {
  readonly bytes: Buffer
  readonly json: unknown
}

const nothing: Received = { bytes: Buffer.alloc(0), json: undefined }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Makes `request.body` a Received for every media type. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer' as const }
  app.addContentTypeParser('application/json', options, (_request, bytes, done) => {
    try {
      const body = bytes as Buffer
      done(null, { bytes: body, json: parseJson(body) } satisfies Received)
    } catch (error) {
      done(error as Error)
    }
  })
  app.addContentTypeParser('*', options, (_request, bytes, done) => {
    done(null, { bytes: bytes as Buffer, json: undefined } satisfies Received)
  })
}

export function bodyOf(request: FastifyRequest): Received {
  const received = request.body as Received | undefined
  if (
    request.method === 'POST' &&
    !received?.bytes.length &&
    request.headers['content-length'] === undefined
  ) {
    // Chunked, and nothing came: as empty as one without any length.
    throw new Problem('length_required', 'A POST without a body must send Content-Length: 0.')
  }
  return received ?? nothing
}

function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch {
    throw new Problem('invalid_request', 'The body is not JSON in UTF-8.')
  }
}
