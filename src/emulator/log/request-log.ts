/**
 * Keeps the latest requests that the emulator has answered, with both bodies and without secrets. They are stored some at a
 * time, so that an answer waits for no write; a kill loses the last tenth of a second.
 */
import { performance } from 'node:perf_hooks'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { beginningOf, LONGEST_SECRET } from '../../without-secrets.ts'
import type { Environment } from '../store/customers.ts'
import { isDiskFull } from '../store/database.ts'
import type { RequestRow, WantedRequests } from '../store/requests.ts'
import type { Store } from '../store/store.ts'

/** A request, with the names of `emulator logs --json`. */
export interface LoggedRequest {
  readonly id: number
  readonly at: string
  readonly environment: string
  readonly method: string
  readonly path: string
  readonly status: number | null
  /** False when the caller did not get the whole answer. */
  readonly complete: boolean
  readonly ms: number
  readonly key_prefix: string | null
  readonly error_code: string | null
  readonly trace_id: string
  /** With bodies: text of JSON, for anything else its type and length; null for none. */
  readonly request_body?: string | null
  readonly response_body?: string | null
}

export interface RequestLog {
  /** Call it when a request begins. What is sent is noted by `sent`. */
  watch(request: FastifyRequest, reply: FastifyReply, environment: Environment): void
  list(wanted: WantedRequests & { readonly bodies: boolean }): { data: LoggedRequest[]; has_more: boolean }
  /** One that is still kept, with its bodies. */
  get(id: number): LoggedRequest | undefined
  /** Forgets those that are not stored yet. */
  forget(): void
  /** Stores the rest. */
  close(): void
}

export interface RequestLogOptions {
  readonly store: Store
  /** Called for each request, once it is stored. */
  readonly onRequest: ((request: LoggedRequest) => void) | undefined
  readonly onError: (error: unknown, what: string) => void
}

/** The latest requests that are kept: with both bodies at most 4 MiB. */
const MAX_KEPT = 1000
/** Characters of a body, and of a path. */
const MAX_BODY = 2000
const MAX_PATH = 2000
const FLUSH_MS = 100
const MAX_WAITING = 100

type Answered = Omit<RequestRow, 'seq' | 'request_body' | 'response_body' | 'error_code'> & {
  readonly sent: Body | undefined
  readonly received: Body | undefined
}

/** Its type and length, and of JSON the beginning: a copy, so that the whole is not kept in memory. */
interface Body {
  readonly type: string
  readonly length: number
  readonly beginning: Buffer | undefined
}

export function createRequestLog({ store, onRequest, onError }: RequestLogOptions): RequestLog {
  let waiting: Answered[] = []
  let timer: NodeJS.Timeout | undefined

  function add(answered: Answered): void {
    waiting.push(answered)
    if (waiting.length >= MAX_WAITING) flush()
    else timer ??= setTimeout(flush, FLUSH_MS).unref()
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const rows = waiting.map(rowOf)
    waiting = []
    try {
      const ids = store.db.transaction(() => {
        const added = rows.map((row) => store.requests.add(row))
        store.requests.trim(MAX_KEPT)
        return added
      })
      if (onRequest)
        for (const [index, row] of rows.entries()) onRequest(onWire({ seq: ids[index] ?? 0, ...row }))
    } catch (error) {
      // Without room for them they are lost; the emulator goes on.
      if (!isDiskFull(error)) onError(error, 'the log of requests')
    }
  }

  return {
    watch(request, reply, environment) {
      const started = performance.now()
      const at = new Date().toISOString()
      const { raw } = reply
      let finished = false
      raw.once('finish', () => {
        finished = true
      })
      raw.once('close', () => {
        const { method, url, headers, state } = request
        add({
          at,
          environment,
          method,
          path: url,
          status: raw.headersSent ? raw.statusCode : null,
          complete: finished ? 1 : 0,
          ms: Math.round(performance.now() - started),
          key_prefix: keyPrefix(headers.authorization),
          trace_id: state.traceId,
          received: bodyOf((request.body as { bytes?: Buffer } | undefined)?.bytes, headers['content-type']),
          sent: bodyOf(state.sent, reply.getHeader('content-type')),
        })
      })
    },
    list({ bodies, ...wanted }) {
      flush()
      const rows = store.requests.list({ ...wanted, limit: wanted.limit + 1 })
      const has_more = rows.length > wanted.limit
      // The one too many is the oldest of the latest, or the last of those after one.
      const shown = !has_more ? rows : wanted.after === undefined ? rows.slice(1) : rows.slice(0, -1)
      return { data: shown.map((row) => onWire(row, bodies)), has_more }
    },
    get(id) {
      flush()
      const row = store.requests.get(id)
      return row && onWire(row)
    },
    forget() {
      waiting = []
    },
    close: flush,
  }
}

function rowOf({ sent, received, path, ...answered }: Answered): Omit<RequestRow, 'seq'> {
  const response_body = shownBody(sent)
  const failed = answered.status === null || answered.status >= 400
  return {
    ...answered,
    path: beginningOf(path, MAX_PATH),
    error_code: (failed && /"code":"(\w+)"/.exec(response_body ?? '')?.[1]) || null,
    request_body: shownBody(received),
    response_body,
  }
}

function onWire(
  { seq, complete, request_body, response_body, ...row }: RequestRow,
  bodies = true,
): LoggedRequest {
  const base = { id: seq, ...row, complete: complete === 1 }
  return bodies ? { ...base, request_body, response_body } : base
}

function bodyOf(content: unknown, type: unknown): Body | undefined {
  if (!(typeof content === 'string' || Buffer.isBuffer(content)) || content.length === 0) return undefined
  const named = typeof type === 'string' ? type : 'no type'
  const length = Buffer.byteLength(content)
  if (!named.startsWith('application/json')) return { type: named, length, beginning: undefined }
  const kept = content.slice(0, MAX_BODY + LONGEST_SECRET)
  return { type: named, length, beginning: Buffer.from(kept as string) }
}

/** JSON as text, cut; of anything else (a PDF, a page, a form with what a user typed) its type and length. */
function shownBody(body: Body | undefined): string | null {
  if (body === undefined) return null
  const { type, length, beginning } = body
  return beginning === undefined
    ? `(${type.split(';')[0]}, ${length} bytes)`
    : beginningOf(beginning.toString('utf8'), MAX_BODY)
}

/** As many characters of a key as are safe to show. */
function keyPrefix(authorization: string | undefined): string | null {
  return /^Bearer (sk_(?:test|live)_\w{0,4})/i.exec(authorization ?? '')?.[1] ?? null
}
