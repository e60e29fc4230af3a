/** Starts receiver.py, a target that is written in another language. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface Received {
  method: string
  path: string
  headers: [string, string][]
  /** The exact bytes. */
  body: Buffer
  /** True when Python computes the same signature over the bytes it got. */
  agrees: boolean
}

export interface PythonReceiver {
  url: string
  received: Received[]
  stop(): Promise<void>
}

const script = fileURLToPath(new URL('receiver.py', import.meta.url))

export async function startPythonReceiver(secret: string, ...flags: string[]): Promise<PythonReceiver> {
  const child = spawn('python3', ['-u', script, secret, ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const received: Received[] = []
  const lines = createInterface({ input: child.stdout })
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`receiver.py ended with ${code}`)))
    lines.on('line', (line) => {
      const told = JSON.parse(line) as { port: number } | (Omit<Received, 'body'> & { body: string })
      if ('port' in told) resolve(told.port)
      else received.push({ ...told, body: Buffer.from(told.body, 'base64') })
    })
  })
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
    },
  }
}
