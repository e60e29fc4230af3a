/** Generates load at little cost of its own: raw sockets that send prepared requests, each after the answer to the last. */
import { connect, type Socket } from 'node:net'

export interface Load {
  readonly port: number
  /** Requests as bytes, sent in turn. */
  readonly requests: readonly Buffer[]
  readonly connections: number
  readonly ms: number
}

/** The bytes of a GET. */
export function getRequest(path: string, key: string): Buffer {
  return Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`,
  )
}

/** Keeps every connection busy for `ms`; `rate` is answers per second. Rejects when an answer is not 200. */
export async function generateLoad({
  port,
  requests,
  connections,
  ms,
}: Load): Promise<{ answers: number; rate: number }> {
  let next = 0
  const begun = performance.now()
  const one = () => sendInTurn(port, ms, begun, () => requests[next++ % requests.length] as Buffer)
  const counts = await Promise.all(Array.from({ length: connections }, one))
  const answers = counts.reduce((sum, count) => sum + count, 0)
  return { answers, rate: (answers / (performance.now() - begun)) * 1000 }
}

/** Milliseconds that one request takes on an open connection. */
export async function timeRequest(socket: Socket, request: Buffer): Promise<number> {
  const begun = performance.now()
  const done = answered(socket)
  socket.write(request)
  await done
  return performance.now() - begun
}

function sendInTurn(port: number, ms: number, begun: number, next: () => Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0
    const socket = connect(port, '127.0.0.1', () => socket.write(next()))
    socket.setNoDelay(true)
    const reader = answerReader((error) => {
      if (error) {
        socket.destroy()
        reject(error)
        return
      }
      count += 1
      if (performance.now() - begun < ms) socket.write(next())
      else {
        socket.destroy()
        resolve(count)
      }
    })
    socket.on('data', reader)
    socket.on('error', reject)
  })
}

function answered(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = answerReader((error) => {
      socket.off('data', reader)
      if (error) reject(error)
      else resolve()
    })
    socket.on('data', reader)
  })
}

/** Finds the end of each answer by its Content-Length. */
function answerReader(onAnswer: (error?: Error) => void): (chunk: Buffer) => void {
  let head = ''
  let left = 0
  return (chunk) => {
    let rest = chunk
    while (rest.length > 0) {
      if (left > 0) {
        const taken = Math.min(left, rest.length)
        left -= taken
        rest = rest.subarray(taken)
        if (left === 0) onAnswer()
        continue
      }
      const before = head.length
      head += rest.toString('latin1')
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
      if (!head.startsWith('HTTP/1.1 200') || length === undefined) {
        onAnswer(new Error(`unexpected answer: ${head.slice(0, 300)}`))
        return
      }
      rest = rest.subarray(end + 4 - before)
      head = ''
      left = Number(length)
    }
  }
}
