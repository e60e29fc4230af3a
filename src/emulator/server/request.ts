/** Reads a request: body bytes (signatures are over them), JSON, upload, and the state kept while it is answered. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Upload } from '../../contract/values.ts'
import { GrowingBuffer } from '../../growing-buffer.ts'
import { requestInTurns } from '../../turns.ts'
import type { Fault } from '../control/faults.ts'
import type { Key } from '../engine/api-keys.ts'
import { invalidFields, ServiceError } from '../engine/errors.ts'
import { Unavailable } from './errors.ts'

/** Kept with a request while it is answered. */
export interface RequestState {
  /** Sent as X-LS-Trace-Id, and in the envelope of a refusal. A replay takes that of the first answer. */
  traceId: string
  key: Key | undefined
  fault: Fault | undefined
  /** Bytes of its body in memory. */
  held: number
  /** What is sent as its answer's body. */
  sent: unknown
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState
  }
}

/** The key that was identified. Throws when none was: a route without authentication asked for it. */
export function keyOf({ state: { key } }: FastifyRequest): Key {
  if (!key) throw new Error('no key was identified')
  return key
}

/** A body as it arrived; `json` undefined when it was not JSON by its media type. */
export interface Received {
  readonly bytes: Buffer
  readonly json: unknown
  /** Set where it was to be JSON and is none. Thrown by whoever reads it, so that the refusal can be replayed. */
  readonly unreadable?: ServiceError
}

const nothing: Received = { bytes: Buffer.alloc(0), json: undefined }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes of bodies in flight, over all connections. */
export interface BodyBudget {
  held: number
}

/** Bodies in flight hold at most so many bytes together: two of the largest uploads. */
export const maxBodies = 64 * 1024 * 1024

/** Makes `request.body` a Received for every media type. */
export function readBodies(app: FastifyInstance, budget: BodyBudget): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.method !== 'GET') {
      reply.raw.once('close', () => {
        budget.held -= request.state.held
      })
    }
    done(null, payload)
  })
  app.addHook('onSend', ({ raw }, _reply, payload, done) => {
    // What is left of a body that was not wanted is read in turns, too, and discarded.
    if (raw.headers['transfer-encoding'] !== undefined && !raw.complete && raw.listenerCount('data') === 0) {
      raw.on('data', requestInTurns(raw))
    }
    done(null, payload)
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const bytes = await read(request, budget)
    return receivedJson(bytes)
  })
  app.addContentTypeParser('*', async (request: FastifyRequest) => {
    return { bytes: await read(request, budget), json: undefined } satisfies Received
  })
}

/** The whole body, which counts until it is answered. Throws beyond the route's limit, or when all bodies are too much. */
async function read(
  { raw, state, headers, routeOptions: { bodyLimit } }: FastifyRequest,
  budget: BodyBudget,
): Promise<Buffer> {
  if (Number(headers['content-length']) > bodyLimit) throw new ServiceError('payload_too_large')
  const body = new GrowingBuffer(bodyLimit)
  const countChunk = requestInTurns(raw)
  return new Promise((resolve, reject) => {
    const refuse = (error: Error) => {
      raw.off('data', take)
      reject(error)
    }
    const take = (chunk: Buffer) => {
      countChunk()
      if (budget.held + chunk.length > maxBodies) {
        refuse(new Unavailable('Too many requests are being read; try again.', 503, 1))
      } else if (body.append(chunk)) {
        budget.held += chunk.length
        state.held = body.byteLength
      } else refuse(new ServiceError('payload_too_large'))
    }
    raw.on('data', take)
    raw.once('end', () => resolve(body.bytes()))
    raw.once('error', () => reject(new ServiceError('invalid_request', 'The body ended early.')))
  })
}

export function bodyOf(request: FastifyRequest): Received {
  const received = readable(request.body)
  if (
    request.method === 'POST' &&
    !received?.bytes.length &&
    request.headers['content-length'] === undefined
  ) {
    // Chunked, and nothing came: as empty as one without any length.
    throw new ServiceError('length_required', 'A POST without a body must send Content-Length: 0.')
  }
  return received ?? nothing
}

/** The bytes alone, whether they can be read or not. */
export function bytesOf({ body }: FastifyRequest): Buffer {
  return ((body as Received | undefined) ?? nothing).bytes
}

/** What Fastify keeps as `request.body`. Throws `invalid_request` where it is no JSON and had to be. */
export function readable(body: unknown): Received | undefined {
  const received = body as Received | undefined
  if (received?.unreadable) throw received.unreadable
  return received
}

function receivedJson(bytes: Buffer): Received {
  if (bytes.length === 0) return nothing
  try {
    return { bytes, json: JSON.parse(utf8.decode(bytes)) }
  } catch {
    const unreadable = new ServiceError('invalid_request', 'The body is not JSON in UTF-8.')
    return { bytes, json: undefined, unreadable }
  }
}

/**
 * The file of a multipart upload in the named field, or the body itself where it is a PDF: the reference does not show
 * the encoding. Throws `validation_failed` without it.
 */
export async function uploadOf(request: FastifyRequest, field: string): Promise<Upload> {
  const type = request.headers['content-type'] ?? ''
  if (/^application\/pdf\b/i.test(type)) {
    const content = new Blob([new Uint8Array(bodyOf(request).bytes)])
    return { filename: `${field}.pdf`, contentType: 'application/pdf', content }
  }
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new ServiceError(
      'invalid_request',
      'The upload has to be multipart/form-data or application/pdf.',
      { status: 415 },
    )
  }
  const { bytes } = bodyOf(request)
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined)
  if (!form) throw new ServiceError('invalid_request', 'The multipart body could not be read.')
  const unknown = [...form.keys()].filter((name) => name !== field)
  const file = form.get(field)
  const errors = unknown.map((param) => ({ param, message: 'is not known here', code: 'unknown_field' }))
  if (!(file instanceof File)) errors.push({ param: field, message: 'has to be a file', code: 'required' })
  if (errors.length > 0 || !(file instanceof File)) throw invalidFields(errors)
  return { filename: file.name, contentType: file.type, content: file }
}
