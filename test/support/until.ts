import { setTimeout as sleep } from 'node:timers/promises'

/** Looks again and again until there is something; returns it, or rejects after `ms` with what was waited for. */
export async function until<T>(look: () => T | Promise<T>, what: string, ms = 20_000): Promise<T> {
  const deadline = performance.now() + ms
  for (;;) {
    const found = await look()
    if (found) return found
    if (performance.now() > deadline) throw new Error(`Not in ${ms} ms: ${what}`)
    await sleep(10)
  }
}
