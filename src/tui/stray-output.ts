/**
 * While the screen is up, text for stderr would be written across it: it goes to a callback instead.
 * Returns a function that gives stderr back. A stderr that is no terminal is left alone.
 */
export function captureStrayOutput(stderr: NodeJS.WriteStream, onText: (text: string) => void): () => void {
  if (!stderr.isTTY) return () => {}
  const { write } = stderr
  stderr.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
    if (text.trim() !== '') onText(text.trim())
    const done = rest.at(-1)
    if (typeof done === 'function') queueMicrotask(() => done())
    return true
  }) as typeof stderr.write
  return () => {
    stderr.write = write
  }
}
