/** Keeps a line for each call of a tool: when, which, how it ended, how long and how large; nothing of what was asked or answered. */
import { createWriteStream, openSync } from 'node:fs'
import { finished } from 'node:stream/promises'

/** What the log keeps of a call. */
export interface Outcome {
  readonly tool: string
  /** `ok`, `cancelled`, else the code of the error. */
  readonly outcome: string
  readonly ms: number
  /** Of the answer; 0 where there is none. */
  readonly bytes: number
}

export interface CallLog {
  write(outcome: Outcome): void
  /** Resolves when every line is written. */
  close(): Promise<void>
}

/**
 * Appends to a file, which only its owner can read where it is new. `onFailure` is called once, with the first error of a write.
 * @throws Error of the file system when it cannot be opened.
 */
export function openCallLog(
  file: string,
  {
    environment,
    now,
    onFailure,
  }: {
    readonly environment: string
    /** Unix ms. */
    readonly now: () => number
    readonly onFailure: (error: Error) => void
  },
): CallLog {
  const stream = createWriteStream(file, { fd: openSync(file, 'a', 0o600) })
  stream.once('error', onFailure)
  return {
    write: (outcome) => {
      const at = new Date(now()).toISOString()
      if (!stream.destroyed) stream.write(`${JSON.stringify({ at, environment, ...outcome })}\n`)
    },
    close: async () => {
      if (stream.destroyed) return
      stream.end()
      await finished(stream).catch(() => {})
    },
  }
}
