/** Keeps a listener running when its output cannot be written, on a full disk: what cannot be written is dropped. */
import type { Terminal } from '../../cli/terminal/terminal.ts'

/**
 * Until the returned function is called, `onUnwritable` is called with the first error of stdout, and later ones and those of
 * stderr are ignored. A reader that went away is left to whoever handled errors before.
 */
export function keepRunningUnwritten(
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  onUnwritable: (error: Error) => void,
): () => void {
  let told = false
  const restoreStdout = takeErrors(stdout, (error) => {
    if (!told) onUnwritable(error)
    told = true
  })
  const restoreStderr = takeErrors(stderr, () => {})
  return () => {
    restoreStdout()
    restoreStderr()
  }
}

type ErrorListener = (error: NodeJS.ErrnoException) => void

function takeErrors(stream: NodeJS.WriteStream, onError: (error: Error) => void): () => void {
  const others = stream.listeners('error') as ErrorListener[]
  const listener: ErrorListener = (error) => {
    if (error.code !== 'EPIPE') onError(error)
    else for (const other of others) other.call(stream, error)
  }
  stream.removeAllListeners('error')
  stream.on('error', listener)
  return () => {
    stream.off('error', listener)
    for (const other of others) stream.on('error', other)
  }
}
