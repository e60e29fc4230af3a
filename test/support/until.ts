import { setTimeout as sleep } from 'node:timers/promises'

/** Polls `look` until it returns a value, and returns it; rejects after `ms` with a message that names `what`. */
export async function until<T>(look: () => T | Promise<T>, what: string, ms = 20_000): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`Not in ${ms} ms: ${what}`)
    await sleep(10)
  }
}
