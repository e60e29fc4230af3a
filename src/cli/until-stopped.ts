/** For commands that run until somebody stops them: Ctrl-C, SIGTERM and a closed pipe are their ordinary end. */

/** Resolves when the signal aborts or the reader of stdout goes away; rejects with what `failed` rejects with. */
export async function untilStopped(signal: AbortSignal, failed: Promise<never>): Promise<void> {
  let stop: () => void = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal.addEventListener('abort', stop, { once: true })
  // bin/run.js turns EPIPE into this for whoever has something to put back.
  process.once('SIGPIPE', stop)
  try {
    if (signal.aborted) stop()
    await Promise.race([stopped, failed])
  } finally {
    signal.removeEventListener('abort', stop)
    process.off('SIGPIPE', stop)
  }
}
