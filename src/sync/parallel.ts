/** Bounds how much is done at once. */

/**
 * Runs a task for each item, so many at once. After a failure no other is begun; it rejects with the first failure, once none
 * is under way.
 */
export async function inParallel<T>(
  items: readonly T[],
  run: (item: T) => Promise<void>,
  atOnce = 16,
): Promise<void> {
  const left = [...items]
  const failures: unknown[] = []
  const worker = async () => {
    for (let item = left.shift(); item !== undefined && failures.length === 0; item = left.shift()) {
      await run(item).catch((error: unknown) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, left.length) }, worker))
  if (failures.length > 0) throw failures[0]
}

/** Returns a function that runs a task as soon as fewer than `limit` of those given to it are running. */
export function atMost(limit: number): <T>(run: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (run) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await run()
    } finally {
      const next = waiting.shift()
      // The place goes to the next one.
      if (next === undefined) running -= 1
      else next()
    }
  }
}
