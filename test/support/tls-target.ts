/** A target of deliveries that speaks TLS, and both HTTP/2 and HTTP/1.1 over it. */
import { execFileSync } from 'node:child_process'
import { createSecureServer, type Http2ServerRequest } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

const newCertificate =
  'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=IP:127.0.0.1 -keyout - -out -'

/** At 127.0.0.1, with a certificate of its own authority, until the end of the test. */
export async function startTlsTarget(): Promise<{ url: string; received: Http2ServerRequest[] }> {
  const pem = execFileSync('openssl', newCertificate.split(' '), { stdio: ['ignore', 'pipe', 'ignore'] })
  const received: Http2ServerRequest[] = []
  const sockets = new Set<Socket>()
  const server = createSecureServer({ key: pem, cert: pem, allowHTTP1: true }, (request, response) => {
    received.push(request)
    request.resume()
    response.end('ok')
  })
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, received }
}
