/** Sends bytes that no HTTP client would send, and parses the answer as HTTP/1.1. */
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Time without data after an answer, before the connection is closed. */
const QUIET_MS = 150

export interface Sending {
  /** Length of the first piece, when the bytes are sent in two. */
  readonly splitAt?: number | undefined
  /** Ends the sending side at once instead of after the answer. */
  readonly hangUp?: boolean
}

/** Sends the bytes and resolves to all that is received until the connection closes. Rejects after 5 s. */
export function exchange(
  port: number,
  bytes: Buffer,
  { splitAt = bytes.length, hangUp = false }: Sending = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let silence: NodeJS.Timeout | undefined
    const socket = connect(port, '127.0.0.1', () => {
      socket.setNoDelay(true)
      socket.write(bytes.subarray(0, splitAt), () => {
        if (hangUp) socket.end(bytes.subarray(splitAt))
        else if (splitAt < bytes.length) socket.write(bytes.subarray(splitAt))
      })
    })
    socket.on('data', (chunk) => {
      chunks.push(chunk)
      clearTimeout(silence)
      silence = setTimeout(() => socket.end(), QUIET_MS)
    })
    // A server that refuses a body resets the connection while it is still being sent.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(late)
      clearTimeout(silence)
      resolve(Buffer.concat(chunks))
    })
    const late = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no end: ${Buffer.concat(chunks).toString('latin1').slice(0, 200)}`))
    }, 5000)
  })
}

/** Every answer in the bytes, except interim ones (1xx). `method` is the request's: HEAD has no body. Throws when they are not HTTP. */
export function parseAnswers(bytes: Buffer, method: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = bytes.toString('latin1')
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...lines] = rest.slice(0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1])
    if (end < 0 || Number.isNaN(status))
      throw new Error(`not an answer: ${rest.slice(0, 300)}\nin: ${bytes.toString('latin1', 0, 1000)}`)
    rest = rest.slice(end + 4)
    if (status < 200) continue
    const headers = new Map(
      lines.map((one) => {
        const colon = one.indexOf(':')
        return [one.slice(0, colon).toLowerCase(), one.slice(colon + 1).trim()] as const
      }),
    )
    // A server that could not read the request did not know that it was a HEAD.
    const none = method === 'HEAD' && !rest.startsWith('{')
    const length = none ? 0 : Number(headers.get('content-length') ?? 0)
    answers.push({ status, headers, body: Buffer.from(rest.slice(0, length), 'latin1').toString('utf8') })
    rest = rest.slice(length)
  }
  return answers
}
