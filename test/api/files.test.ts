/** Downloads and uploads: streamed, measured, and never silently truncated. */
import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { InputError, UnreachableError, UnreadableResponseError } from '../../src/api/errors.ts'
import { connect, failureOf } from './client.ts'
import { envelope, json, serve, serveBytes } from './servers.ts'

const statement = { statement_id: 'stmt_FDE_1', client_id: 'cli_1' }

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('a download arrives byte for byte, with its type and length', async () => {
  const pdf = randomBytes(3_000_000)
  const server = await serve((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': pdf.length })
    response.end(pdf)
  })
  const { api } = connect(server.baseUrl)
  const download = await api.statements.download(statement)
  expect(download).toMatchObject({ contentType: 'application/pdf', contentLength: pdf.length })
  expect((await bytesOf(download.body)).equals(pdf)).toBe(true)
  expect(server.heard[0]?.headers['accept-encoding']).toBe('identity')
})

test('a download is streamed: the limit for JSON does not apply', async () => {
  const server = await serve((_, response) => response.end(Buffer.alloc(2 ** 20)))
  const { api } = connect(server.baseUrl, { limits: { bodyBytes: 10 } })
  const { body } = await api.statements.download(statement)
  expect(await bytesOf(body)).toHaveLength(2 ** 20)
})

test('a download that is compressed although not asked for is decompressed, and has no length', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'application/pdf' })
    response.end(gzipSync('%PDF-1.7'))
  })
  const { api } = connect(server.baseUrl)
  const { body, contentLength } = await api.statements.download(statement)
  expect(contentLength).toBeUndefined()
  expect(String(await bytesOf(body))).toBe('%PDF-1.7')
})

const pdfHead = 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n'

test.each([
  ['by Content-Length', `${pdfHead}Content-Length: 100\r\n\r\n%PDF-`],
  ['in chunks', `${pdfHead}Transfer-Encoding: chunked\r\n\r\n5\r\n%PDF-\r\n`],
])('a download cut short (%s) fails where it is read', async (_, bytes) => {
  const server = await serveBytes((socket) => socket.end(bytes))
  const { api } = connect(server.baseUrl)
  const { body } = await api.statements.download(statement)
  const failure = await failureOf(bytesOf(body))
  expect(failure).toBeInstanceOf(UnreadableResponseError)
  expect(failure).toMatchObject({ reason: 'cut' })
})

test('a download that stalls exceeds the idle limit', async () => {
  const server = await serveBytes((socket) => socket.write(`${pdfHead}Content-Length: 100\r\n\r\n%PDF-`))
  const { api } = connect(server.baseUrl, { timeouts: { idleMs: 60 } })
  const { body } = await api.statements.download(statement)
  const failure = await failureOf(bytesOf(body))
  expect(failure).toBeInstanceOf(UnreachableError)
  expect(failure).toMatchObject({ reason: 'timeout', phase: 'body' })
})

test('a download that drips runs into the time for a file', async () => {
  const server = await serveBytes((socket) => {
    socket.write(`${pdfHead}Content-Length: 100000\r\n\r\n`)
    const drip = setInterval(() => socket.write('x'), 10)
    socket.on('close', () => clearInterval(drip))
  })
  const { api } = connect(server.baseUrl, { timeouts: { fileMs: 150 } })
  const { body } = await api.statements.download(statement)
  expect(await failureOf(bytesOf(body))).toMatchObject({ reason: 'timeout' })
})

test('an aborted download ends with the reason of the signal', async () => {
  const server = await serveBytes((socket) => socket.write(`${pdfHead}Content-Length: 100\r\n\r\n%PDF-`))
  const { api } = connect(server.baseUrl)
  const stop = new AbortController()
  const { body } = await api.statements.download(statement, { signal: stop.signal })
  const reason = new Error('Ctrl-C')
  const reading = async () => {
    for await (const _ of body) stop.abort(reason)
  }
  expect(await failureOf(reading())).toBe(reason)
})

test('a reader that stops early closes the connection', async () => {
  const closed = Promise.withResolvers<void>()
  const server = await serve((_, response) => {
    response.on('close', closed.resolve)
    response.writeHead(200, { 'Content-Length': 10_000_000 })
    response.write(Buffer.alloc(100_000))
  })
  const { api } = connect(server.baseUrl)
  const { body } = await api.statements.download(statement)
  for await (const _ of body) break
  await closed.promise
})

test.each(['text/html; charset=utf-8', 'application/json'])(
  'a download that is %s is refused',
  async (type) => {
    const server = await serve((_, response) => {
      response.writeHead(200, { 'Content-Type': type })
      response.end('<p>Please sign in')
    })
    const { api } = connect(server.baseUrl)
    expect(await failureOf(api.statements.download(statement))).toMatchObject({ reason: 'wrong_type' })
  },
)

test('an error in place of a download is an ApiResponseError', async () => {
  const server = await serve((_, response) => json(response, 404, envelope('not_found')))
  const { api } = connect(server.baseUrl)
  expect(await failureOf(api.statements.download(statement))).toMatchObject({ code: 'not_found' })
})

test('an upload is one multipart field with a known length', async () => {
  const pdf = randomBytes(500_000)
  const server = await serve((_, response) => json(response, 202, { operation_id: 'op_1' }))
  const { api } = connect(server.baseUrl)
  const content = new Blob([pdf])
  await api.statements.extract({
    file: { filename: 'a"b\r\nc.pdf', contentType: 'application/pdf', content },
  })
  const [request] = server.heard
  expect(request?.headers['transfer-encoding']).toBeUndefined()
  expect(request?.headers['content-length']).toBe(String(request?.body.length))
  // Read by Node's own parser, which shares no code with the writer.
  const form = await new Response(request?.body, {
    headers: { 'Content-Type': String(request?.headers['content-type']) },
  }).formData()
  const file = form.get('file') as File
  expect([...form.keys()]).toEqual(['file'])
  expect(file.type).toBe('application/pdf')
  expect(file.name).toContain('a"b')
  expect(Buffer.from(await file.arrayBuffer()).equals(pdf)).toBe(true)
})

test('a raw upload is the bytes of the file, with its type and a known length, also when it is sent again', async () => {
  const pdf = randomBytes(500_000)
  const server = await serve((_, response, number) =>
    json(response, number < 2 ? 429 : 202, { operation_id: 'op_1' }),
  )
  const { api } = connect(server.baseUrl, { uploadEncoding: 'raw' })
  await api.statements.extract({
    file: { filename: 'a.pdf', contentType: 'application/pdf', content: new Blob([pdf]) },
  })
  for (const { headers, body } of server.heard) {
    expect(headers).toMatchObject({ 'content-type': 'application/pdf', 'content-length': '500000' })
    expect(headers['transfer-encoding']).toBeUndefined()
    expect(body.equals(pdf)).toBe(true)
  }
  expect(server.heard).toHaveLength(2)
})

test('an upload may take longer than other requests may wait for headers', async () => {
  const server = await serve((_, response) => setTimeout(() => json(response, 200, { id: 'op_1' }), 200))
  const { api } = connect(server.baseUrl, { timeouts: { connectMs: 50, headersMs: 50 } })
  const content = new Blob(['%PDF-1.7'])
  await api.statements.extract({ file: { filename: 'a.pdf', contentType: 'application/pdf', content } })
  expect(await failureOf(api.clients.create({}))).toMatchObject({ reason: 'timeout', phase: 'headers' })
})

test('an upload is opened again when it is sent again', async () => {
  const server = await serve((_, response, number) =>
    json(response, number < 2 ? 429 : 202, { operation_id: 'op_1' }),
  )
  const { api } = connect(server.baseUrl)
  const content = new Blob(['%PDF-1.7'])
  await api.statements.extract({ file: { filename: 'a.pdf', contentType: 'application/pdf', content } })
  expect(server.heard[1]?.body).toEqual(server.heard[0]?.body)
})

test('an upload that is refused before it is read ends with the answer, not with a broken pipe', async () => {
  const body = JSON.stringify(envelope('payload_too_large'))
  const server = await serveBytes((socket) => {
    socket.write(
      `HTTP/1.1 413 Too Large\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    )
    socket.resume()
  })
  const { api } = connect(server.baseUrl)
  const content = new Blob([randomBytes(8_000_000)])
  const upload = { file: { filename: 'a.pdf', contentType: 'application/pdf', content } }
  expect(await failureOf(api.statements.extract(upload))).toMatchObject({
    httpStatus: 413,
    code: 'payload_too_large',
  })
})

test('a file that cannot be read to its end is not reported as a failure of the service', async () => {
  const server = await serve((_, response) => json(response, 202, { operation_id: 'op_1' }))
  const { api } = connect(server.baseUrl)
  const content = new Blob(['x'.repeat(100)])
  content.stream = () =>
    ReadableStream.from(
      (async function* () {
        yield new Uint8Array(10)
        throw new Error('NotReadableError')
      })(),
    ) as never
  const failure = await failureOf(
    api.statements.extract({ file: { filename: 'a.pdf', contentType: 'application/pdf', content } }),
  )
  expect(failure).toBeInstanceOf(InputError)
  expect(failure).toMatchObject({ code: 'unreadable_upload' })
})
