/** Writes text to a stream that may be slow or closed by its reader. */
import type { Writable } from 'node:stream'

export interface Sink {
  /** Whether the reader has gone; what is written then is dropped. */
  readonly closed: boolean
  /** Takes text; resolves when more may come. */
  write(text: string): Promise<void> | void
  /** Writes the buffered text and waits until the stream has taken it. Leaves the stream open. */
  end(): Promise<void>
}

/**
 * Buffers text into chunks of about `chunkSize` characters. At the end of a turn of the event loop the rest is
 * written. A reader that goes away (EPIPE) closes the sink without an error. Once
 * `signal` aborts, nothing waits for the reader any more.
 * @throws (from `write` and `end`) what the stream fails with otherwise, such as a full disk
 */
export function createSink(stream: Writable, chunkSize: number, signal?: AbortSignal): Sink {
  let buffered = ''
  let timer: NodeJS.Immediate | undefined
  let closed = stream.destroyed
  let failure: unknown
  let resume: (() => void) | undefined

  const onError = (error: NodeJS.ErrnoException) => {
    closed = true
    if (!readerLeft(error)) failure ??= error
    resume?.()
  }
  const onClose = () => {
    closed = true
    resume?.()
  }
  const onDrain = () => resume?.()
  stream.on('error', onError)
  stream.on('close', onClose)
  stream.on('drain', onDrain)
  signal?.addEventListener('abort', onDrain)

  const flush = (done?: () => void) => {
    clearImmediate(timer)
    timer = undefined
    const text = buffered
    buffered = ''
    if (closed) done?.()
    else if (text !== '' || done !== undefined) {
      stream.write(text, (error) => {
        // Node calls this before it emits the error.
        if (error) onError(error)
        done?.()
      })
    }
  }
  const settled = (ready: () => boolean) =>
    new Promise<void>((resolve) => {
      resume = () => {
        if (!closed && signal?.aborted !== true && !ready()) return
        resume = undefined
        resolve()
      }
      resume()
    })
  const check = () => {
    if (failure !== undefined) throw failure
  }

  return {
    get closed() {
      return closed
    },
    async write(text) {
      check()
      if (closed) return
      buffered += text
      if (buffered.length < chunkSize) {
        timer ??= setImmediate(flush)
        return
      }
      flush()
      if (stream.writableNeedDrain) await settled(() => !stream.writableNeedDrain)
      check()
    },
    async end() {
      let taken = false
      flush(() => {
        taken = true
        resume?.()
      })
      await settled(() => taken)
      stream.off('close', onClose)
      stream.off('drain', onDrain)
      signal?.removeEventListener('abort', onDrain)
      // The error listener stays after EPIPE: the stream may report it once more, and nobody else listens.
      if (!closed) stream.off('error', onError)
      check()
    },
  }
}

function readerLeft(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' || error.code === 'ECONNRESET'
}

/**
 * Writes finished text and waits until the stream has taken it, so that the process may end.
 * @returns false when the reader had gone (EPIPE), which is no error
 * @throws what the stream fails with otherwise
 */
export async function writeText(stream: Writable, text: string): Promise<boolean> {
  const sink = createSink(stream, 1)
  if (text !== '') await sink.write(text)
  await sink.end()
  return !sink.closed
}
