/** Proxies and certificates. A child process makes the request where Node has to read certificates at start-up. */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request as forward, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect as connectSocket, createServer as createNetServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { proxyFor } from '../../src/api/proxy.ts'
import { connect, failureOf } from './client.ts'
import { deadPort, json, listen, serve } from './servers.ts'

const run = promisify(execFile)

/** A proxy that forwards every request to the given port. */
async function proxyTo(port: number): Promise<{ port: number; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    const path = new URL(request.url ?? '').pathname
    forward({ port, path, method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    }).end()
  })
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    asked.push(request)
    const service = connectSocket(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      service.pipe(client).pipe(service)
    })
    for (const socket of [service, client]) socket.on('error', () => socket.destroy())
  })
  return { port: (await listen(server)).port, asked }
}

/** A proxy that answers CONNECT with only a status. */
async function refusingProxy(status: string): Promise<number> {
  const server = createServer()
  server.on('connect', (_, client: Socket) => client.end(`HTTP/1.1 ${status}\r\n\r\n`))
  return (await listen(server)).port
}

/** An https service for a name, with a certificate of its own authority. */
async function serveTls(name: string): Promise<{ port: number; authority: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'bankapi-tls-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [keyFile, authority] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const what = ['-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`]
  const names = ['-addext', `subjectAltName=DNS:${name}`]
  await run('openssl', ['req', '-x509', ...what, ...names, '-keyout', keyFile, '-out', authority])
  const server = createTlsServer(
    { key: await readFile(keyFile), cert: await readFile(authority) },
    (_, response) => json(response, 200, { data: [], has_more: false }),
  )
  return { port: (await listen(server)).port, authority }
}

const source = (path: string): string =>
  JSON.stringify(fileURLToPath(new URL(`../../src/api/${path}`, import.meta.url)))

/** Runs a call in a separate process, which has to end by itself. */
async function inChild(
  baseUrl: string,
  options: object,
  env: Record<string, string>,
  script = 'await api.clients.list()',
) {
  const code = `
    import { createApi } from ${source('api.ts')}
    import { undiciTransport } from ${source('undici-transport.ts')}
    const clock = { now: Date.now, elapsed: Date.now, sleep: async () => {} }
    const random = { fraction: Math.random, uuid: () => 'x' }
    const credential = async () => 'k'
    const api = createApi({ baseUrl: ${JSON.stringify(baseUrl)}, clock, random, credential, userAgent: 'x', ...${JSON.stringify(options)} }, undiciTransport)
    try { ${script}; console.log('{"ok":true}') }
    catch ({ name, reason, phase, attempts, address, message }) {
      console.log(JSON.stringify({ name, reason, phase, attempts, address, message }))
    }
    await api.close()
    const closed = Date.now()
    process.on('exit', () => console.log(Date.now() - closed))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    env: { ...process.env, ...env },
  })
  let out = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  child.stderr.on('data', (chunk) => (errors += chunk))
  await new Promise((resolve) => child.on('close', resolve))
  const [result = '', linger = ''] = out.trim().split('\n')
  if (result === '') throw new Error(errors)
  return { result: JSON.parse(result) as Record<string, unknown>, lingerMs: Number(linger), errors }
}

const anyEnv = { HTTPS_PROXY: 'http://secure.proxy:1', HTTP_PROXY: 'http://plain.proxy:2' }

test.each([
  ['https://api.bank.test/v3', anyEnv, 'secure.proxy:1'],
  ['http://api.bank.test/v3', anyEnv, 'plain.proxy:2'],
  ['https://api.bank.test/v3', { HTTP_PROXY: 'http://plain.proxy:2' }, undefined],
  ['https://api.bank.test/v3', { https_proxy: 'proxy:3' }, 'proxy:3'],
  ['https://api.bank.test/v3', { HTTPS_PROXY: ' ' }, undefined],
  ['http://localhost:4010/v3', anyEnv, undefined],
  ['http://127.0.0.1:4010/v3', anyEnv, undefined],
  ['http://[::1]:4010/v3', anyEnv, undefined],
  ['https://api.bank.test/v3', { ...anyEnv, NO_PROXY: '*' }, undefined],
  ['https://api.bank.test/v3', { ...anyEnv, NO_PROXY: 'a.b, bank.test' }, undefined],
  ['https://api.bank.test/v3', { ...anyEnv, NO_PROXY: '.bank.test' }, undefined],
  ['https://api.bank.test/v3', { ...anyEnv, no_proxy: '*.BANK.test' }, undefined],
  ['https://api.bank.test/v3', { ...anyEnv, NO_PROXY: 'bank.test.' }, undefined],
  ['https://api.bank.test./v3', { ...anyEnv, NO_PROXY: 'api.bank.test' }, undefined],
  ['https://api.bank.test/v3', { ...anyEnv, NO_PROXY: 'api.bank.test:443' }, undefined],
  ['https://api.bank.test/v3', { ...anyEnv, NO_PROXY: 'api.bank.test:444' }, 'secure.proxy:1'],
  ['https://apibank.test/v3', { ...anyEnv, NO_PROXY: 'bank.test' }, 'secure.proxy:1'],
  ['https://[fd00::1]/v3', { ...anyEnv, NO_PROXY: 'fd00::1' }, undefined],
  ['https://10.0.0.1/v3', { ...anyEnv, NO_PROXY: '10.0.0.1' }, undefined],
])('%s with %j goes through %s', (address, env, proxy) => {
  expect(proxyFor(new URL(address), env)?.host).toBe(proxy)
})

test('a proxy variable that is not an address is refused, and not repeated in the error', () => {
  const env = { HTTPS_PROXY: 'socks5://user:secret@x' }
  expect(() => proxyFor(new URL('https://x/v3'), env)).toThrow(
    expect.objectContaining({ code: 'invalid_proxy' }),
  )
  expect(() => proxyFor(new URL('https://x/v3'), env)).not.toThrow('secret')
})

describe('through a proxy', () => {
  test('plain http goes through the proxy, with its credentials', async () => {
    const server = await serve((_, response) => json(response, 200, { data: [], has_more: false }))
    const proxy = await proxyTo(server.port)
    const env = { HTTP_PROXY: `http://me:pass%20word@127.0.0.1:${proxy.port}` }
    const { api, lines } = connect('http://api.bank.test/v3', { env })
    await api.clients.list()
    expect(proxy.asked[0]?.url).toBe('http://api.bank.test/v3/clients')
    const basic = `Basic ${Buffer.from('me:pass word').toString('base64')}`
    expect(proxy.asked[0]?.headers['proxy-authorization']).toBe(basic)
    expect(server.heard[0]?.headers.host).toBe('api.bank.test')
    expect(lines.join()).not.toContain('pass')
  })

  test('a proxy that cannot be reached is named, without its credentials', async () => {
    const env = { HTTP_PROXY: `http://me:secret@127.0.0.1:${await deadPort()}` }
    const { api } = connect('http://api.bank.test/v3', { env })
    const failure = await failureOf(api.clients.create({}))
    expect(failure).toMatchObject({ reason: 'proxy', nothingSent: true, attempts: 4 })
    expect(JSON.stringify(failure) + String(failure)).not.toContain('secret')
  })

  test.each(['403 Forbidden', '407 Proxy Authentication Required', '502 Bad Gateway'])(
    'a tunnel refused with %s is reported as a failure of the proxy',
    async (status) => {
      const env = { HTTPS_PROXY: `http://me:secret@127.0.0.1:${await refusingProxy(status)}` }
      const { api } = connect('https://api.bank.test/v3', { env, retries: { attempts: 1 } })
      const failure = await failureOf(api.clients.list())
      expect(failure).toMatchObject({ name: 'UnreachableError', reason: 'proxy' })
      expect(String(failure)).not.toContain('secret')
    },
  )

  test('a proxy that never answers CONNECT exceeds the time limit', async () => {
    const server = createNetServer(() => {})
    const env = { HTTPS_PROXY: `http://127.0.0.1:${(await listen(server)).port}` }
    const timeouts = { connectMs: 50, headersMs: 50 }
    const { api } = connect('https://api.bank.test/v3', { env, timeouts, retries: { attempts: 1 } })
    expect(await failureOf(api.clients.list())).toMatchObject({ reason: 'timeout' })
  })

  test('https is tunnelled: the proxy sees the host, and neither path nor key', async () => {
    const service = await serveTls('api.bank.test')
    const proxy = await proxyTo(service.port)
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
    const child = await inChild(
      'https://api.bank.test/v3',
      { env },
      { NODE_EXTRA_CA_CERTS: service.authority },
    )
    expect(child).toMatchObject({ result: { ok: true }, errors: '' })
    expect(proxy.asked.map(({ method, url }) => `${method} ${url}`)).toEqual(['CONNECT api.bank.test:443'])
    expect(JSON.stringify(proxy.asked[0]?.headers)).not.toContain('uthorization')
    expect(child.lingerMs).toBeLessThan(1000)
  })
})

describe('TLS', () => {
  test('a certificate is accepted when NODE_EXTRA_CA_CERTS vouches for it', async () => {
    const { port, authority } = await serveTls('localhost')
    const child = await inChild(`https://localhost:${port}/v3`, {}, { NODE_EXTRA_CA_CERTS: authority })
    expect(child.result).toEqual({ ok: true })
  })

  test('a certificate that nobody vouches for is refused, once, and nothing is sent', async () => {
    const { port } = await serveTls('localhost')
    const { api } = connect(`https://localhost:${port}/v3`)
    expect(await failureOf(api.clients.list())).toMatchObject({ reason: 'tls', attempts: 1 })
  })

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes nothing, straight or through a proxy', {
    tags: ['slow'],
  }, async () => {
    const service = await serveTls('localhost')
    const off = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    const direct = await inChild(`https://localhost:${service.port}/v3`, {}, off)
    expect(direct.result).toMatchObject({ reason: 'tls' })
    const proxy = await proxyTo(service.port)
    const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
    const tunnelled = await inChild('https://api.bank.test/v3', { env }, off)
    expect(tunnelled.result).toMatchObject({ reason: 'tls' })
    const throughTls = { HTTPS_PROXY: `https://localhost:${service.port}` }
    const refused = await inChild('https://api.bank.test/v3', { env: throughTls }, off)
    expect(refused.result).toMatchObject({ reason: 'tls' })
  })

  test('a certificate for another name is refused', async () => {
    const { port, authority } = await serveTls('other.test')
    const child = await inChild(`https://localhost:${port}/v3`, {}, { NODE_EXTRA_CA_CERTS: authority })
    expect(child.result).toMatchObject({ reason: 'tls' })
  })

  test('https to a plain http port is a TLS failure', async () => {
    const server = await serve((_, response) => json(response, 200, {}))
    const { api } = connect(`https://127.0.0.1:${server.port}/v3`)
    expect(await failureOf(api.clients.list())).toMatchObject({ reason: 'tls' })
  })

  test('a handshake that is never answered exceeds the limit for connecting', {
    tags: ['slow'],
  }, async () => {
    const { port } = await listen(createNetServer(() => {}))
    const { api } = connect(`https://127.0.0.1:${port}/v3`, { timeouts: { connectMs: 50 } })
    expect(await failureOf(api.clients.list())).toMatchObject({
      reason: 'timeout',
      phase: 'connect',
      attempts: 2,
    })
  })
})

describe('closing', () => {
  test('an abort while connecting ends the call at once, and the process ends with it', async () => {
    const { port } = await listen(createNetServer(() => {}))
    const script = `
      const stop = new AbortController()
      const { subscribe } = await import('node:diagnostics_channel')
      subscribe('net.client.socket', ({ socket }) =>
        socket.once('connect', () => stop.abort(new Error('Ctrl-C'))))
      await api.clients.list({}, { signal: stop.signal })`
    const started = Date.now()
    const child = await inChild(
      `https://127.0.0.1:${port}/v3`,
      { timeouts: { connectMs: 30_000 } },
      {},
      script,
    )
    expect(child.result).toMatchObject({ message: 'Ctrl-C' })
    expect(child.lingerMs).toBeLessThan(1000)
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  test('a kept-alive connection and an unread download do not keep the process alive', async () => {
    const server = await serve((request, response) => {
      if (request.url.includes('download')) response.writeHead(200, { 'Content-Length': 1e9 }).write('x')
      else json(response, 200, { data: [], has_more: false })
    })
    const script = `await api.clients.list(); await api.statements.download({ statement_id: 's', client_id: 'c' })`
    const child = await inChild(server.baseUrl, {}, {}, script)
    expect(child).toMatchObject({ result: { ok: true }, errors: '' })
    expect(child.lingerMs).toBeLessThan(1000)
  })

  test('a call after close fails and connects to nothing', async () => {
    const server = await serve((_, response) => json(response, 200, {}))
    const { api } = connect(server.baseUrl)
    await api.close()
    expect(await failureOf(api.clients.list())).toMatchObject({ code: 'closed' })
    expect(server.heard).toEqual([])
  })

  test('closing ends a call that is under way, without another attempt', async () => {
    const server = await serve(() => void api.close())
    const { api, clock } = connect(server.baseUrl)
    expect(await failureOf(api.clients.list())).toMatchObject({ code: 'closed' })
    expect(clock.slept).toEqual([])
  })
})
