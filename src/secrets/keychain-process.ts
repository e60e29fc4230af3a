/**
 * Asks the operating system's keychain one question, as a process of its own, and ends.
 *
 * The native library connects to the keychain in the calling thread: when the keychain does not answer, that thread
 * hangs, and not even `process.exit()` works. A process can be killed. The question comes on stdin and the answer
 * goes to stdout, so no secret is in an argument or in an environment variable. It imports nothing of ours, to start fast.
 */
import { readFileSync, writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

/** The question from keychain.ts. */
export type KeychainQuestion =
  | { readonly do: 'get' | 'delete'; readonly service: string; readonly account: string }
  | { readonly do: 'set'; readonly service: string; readonly account: string; readonly secret: string }
  | { readonly do: 'list'; readonly service: string }

/** The answer: the secret or null, whether it was deleted, or the accounts; else the library's message. */
export type KeychainAnswer =
  | { readonly ok: true; readonly value: string | boolean | string[] | null }
  | { readonly ok: false; readonly reason: string }

/** keychain.ts kills this process sooner; this limit is for when bankapi itself was killed. */
const MAX_LIFETIME_MS = 5000

// The default on Linux silently falls back to the kernel's keyring, which is lost at restart.
const STORE = { linux: { store: 'secret-service' } } as const

async function answer(question: KeychainQuestion): Promise<KeychainAnswer> {
  try {
    const { AsyncEntry, findCredentialsAsync } = await import('@napi-rs/keyring')
    const entry = new AsyncEntry(question.service, question.do === 'list' ? 'list' : question.account, STORE)
    switch (question.do) {
      case 'get':
        return { ok: true, value: await entry.getPassword() }
      case 'set':
        await entry.setPassword(question.secret)
        return { ok: true, value: null }
      case 'delete':
        return { ok: true, value: await entry.deletePassword() }
      case 'list': {
        const found = await findCredentialsAsync(question.service)
        return { ok: true, value: found.map((credential) => credential.account) }
      }
    }
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : 'unknown reason' }
  }
}

new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${MAX_LIFETIME_MS})`, {
  eval: true,
}).unref()
const question: KeychainQuestion = JSON.parse(readFileSync(0, 'utf8'))
writeSync(1, JSON.stringify(await answer(question)))
process.exit(0)
