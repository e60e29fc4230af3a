/** A target for a listener to forward to; tests set its answers. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Target {
  readonly url: string
  /** Status of the next answers. */
  answer: number
  /** Bodies received. */
  readonly received: string[]
  close(): Promise<void>
}

export async function startTarget(): Promise<Target> {
  const received: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      received.push(body)
      response.writeHead(target.answer, { 'Content-Type': 'text/plain' }).end(`target says ${target.answer}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const target: Target = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: 200,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return target
}
