/** Where the pictures are taken: a home with an emulator, fixed ids, amounts and dates, and a server that takes webhooks. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createEmulatorHome, type EmulatorHome } from '../../test/support/emulator-process.ts'
import { createShell } from '../../test/support/shell.ts'

/** The time at which each picture begins. */
const BEGIN = '2026-11-20T10:19:00Z'

export interface Receiver {
  readonly port: number
  /** So many of the next requests fail, as at a server with a bug. */
  failures: number
  /** Resolves once it has answered so many requests in all. */
  answered(count: number): Promise<void>
  close(): Promise<void>
}

export interface Stage {
  readonly home: EmulatorHome
  /** Of every process: finds `bankapi`, the emulator and the fixed time. */
  readonly env: Readonly<Record<string, string>>
  /** A folder to work in. */
  readonly folder: string
  readonly receiver: Receiver
  close(): Promise<void>
}

export async function openStage(flags: readonly string[] = []): Promise<Stage> {
  const loader = new URL('fixed-start.ts', import.meta.url)
  const home = await createEmulatorHome(['--seed', '7', ...flags], undefined, {
    NODE_OPTIONS: `--import=${loader.href}`,
    PICTURES_BEGIN: BEGIN,
    PICTURES_BEGAN: String(Date.now()),
    BANKAPI_PAGER: '',
  })
  const { env, folder } = createShell(home)
  const receiver = await startReceiver()
  return {
    home,
    env,
    folder,
    receiver,
    async close() {
      await receiver.close()
      await home.remove()
    },
  }
}

/** Listens on port 3000 where it is free, as the documentation shows that. */
async function startReceiver(): Promise<Receiver> {
  let answers = 0
  const server = createServer((request, response) => {
    response.on('close', () => answers++)
    request.resume().on('end', () => {
      if (receiver.failures > 0) {
        receiver.failures--
        const headers = { 'Content-Type': 'text/plain' }
        response
          .writeHead(500, headers)
          .end("TypeError: Cannot read properties of undefined (reading 'iban')")
      } else response.end('ok')
    })
  })
  await listen(server, 3000).catch(() => listen(server, 0))
  const receiver: Receiver = {
    port: (server.address() as AddressInfo).port,
    failures: 0,
    async answered(count) {
      while (answers < count) await sleep(20)
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
}
