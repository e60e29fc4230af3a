/**
 * Checks the Host header against DNS rebinding, by which a web page can make a browser call a loopback address under a
 * name of its own: bound to loopback, the listener accepts only loopback names and the host of its public URL.
 */
export function acceptsHost(
  host: string | undefined,
  listener: { boundTo: string; publicUrl?: string | undefined },
): boolean {
  if (!isLoopback(listener.boundTo)) return true
  // HTTP/1.0 has no Host, and no browser speaks it.
  if (host === undefined) return true
  const name = URL.parse(`http://${host}`)?.hostname
  if (name === undefined) return false
  if (isLoopback(name)) return true
  return listener.publicUrl !== undefined && URL.parse(listener.publicUrl)?.hostname === name
}

function isLoopback(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    name === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(name)
  )
}
