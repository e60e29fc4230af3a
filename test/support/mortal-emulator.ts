/** Runs an emulator in a separate process that a test kills (SIGKILL) while it works. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { EmulatorOptions } from '../../src/emulator/options.ts'

const child = fileURLToPath(new URL('./emulator-child.ts', import.meta.url))

export interface Answer {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the fields it reads
  readonly json: any
}

export interface MortalEmulator {
  /** Undefined when there was no answer because the emulator was killed. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer | undefined>
  /** One of the emulator's own controls. */
  control(path: string, body: unknown): Promise<Answer | undefined>
  kill(): Promise<void>
}

/** Starts it on a data folder, and kills it after `killAfter` milliseconds. Undefined when it was never ready. */
export async function startMortal(
  dataDir: string,
  options: EmulatorOptions = {},
  killAfter?: number,
): Promise<MortalEmulator | undefined> {
  const words = [child, dataDir, JSON.stringify(options)]
  const running = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(running, 'exit')
  const kill = async () => {
    running.kill('SIGKILL')
    await ended
  }
  onTestFinished(kill)
  if (killAfter !== undefined) setTimeout(() => running.kill('SIGKILL'), killAfter)
  const line = await Promise.race([
    once(createInterface(running.stdout), 'line').then(([text]) => text as string),
    ended.then(() => undefined),
  ])
  if (line === undefined) return undefined
  const { base_url, api_key } = JSON.parse(line).sandbox as { base_url: string; api_key: string }

  async function ask(method: string, url: string, body: unknown, headers: Record<string, string>) {
    const content = body === undefined ? {} : { 'content-type': 'application/json' }
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers, ...content },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      const replayed = response.headers.get('idempotent-replayed') === 'true'
      return { status: response.status, text, replayed, json: text === '' ? undefined : JSON.parse(text) }
    } catch {
      return undefined
    }
  }
  return {
    call: (method, path, body, headers = {}) =>
      ask(method, `${base_url}${path}`, body, { authorization: `Bearer ${api_key}`, ...headers }),
    control: (path, body) =>
      ask('POST', `${new URL(base_url).origin}/_emulator${path}`, body, { 'x-bankapi-emulator': '1' }),
    kill,
  }
}
