/**
 * Chooses the proxy of a request from the variables that curl and gh read: HTTPS_PROXY or HTTP_PROXY by the scheme of
 * the address, unless NO_PROXY names the host. A loopback address is never proxied (as in Go): the emulator is on this
 * machine, where a proxy does not reach it.
 */
import { InputError } from './errors.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The proxy for an address, or undefined. Lower-case variables win, as in curl.
 * @throws InputError when the variable holds no address of an http or https proxy.
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  if (isLoopback(url.hostname)) return undefined
  const scheme = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const value = read(env, scheme)
  if (value === undefined || isExempt(url, read(env, 'no_proxy') ?? '')) return undefined

  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const proxy = URL.canParse(address) ? new URL(address) : undefined
  if (!proxy || !['http:', 'https:'].includes(proxy.protocol)) {
    const name = scheme.toUpperCase()
    throw new InputError('invalid_proxy', `${name} is not the address of an http or https proxy`, {
      param: name,
      hint: `Set it like ${name}=http://proxy.example:3128, or unset it`,
    })
  }
  return proxy
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase()
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d+){3}$/.test(host)
  )
}

function read(env: Env, name: string): string | undefined {
  const value = (env[name] ?? env[name.toUpperCase()])?.trim()
  return value === '' ? undefined : value
}

/** `*`, `example.com` and `.example.com` (with subdomains), each with an optional `:port`. */
function isExempt(url: URL, noProxy: string): boolean {
  const host = url.hostname.toLowerCase().replace(/\.$/, '')
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return noProxy.split(/[\s,]+/).some((entry) => {
    const [, name = '', entryPort] = /^(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? []
    if (name === '' || (entryPort !== undefined && entryPort !== port)) return false
    const domain = name.replace(/^\*?\./, '').replace(/\.$/, '')
    return name === '*' || host === domain || host === `[${domain}]` || host.endsWith(`.${domain}`)
  })
}
