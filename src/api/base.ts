/** The address below which every path of the API lies. */
import { InputError } from './errors.ts'

export interface Base {
  /** `https://api.example.com` */
  readonly origin: string
  /** `/v3`, or the empty string: never with a slash at its end. */
  readonly root: string
}

/**
 * The base of a base URL.
 * @throws InputError unless it is http or https, without credentials (a key is not an address), query or fragment.
 */
export function baseOf(baseUrl: string): Base {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined
  const plain = url && !url.username && !url.password && !url.search && !url.hash
  if (plain && ['http:', 'https:'].includes(url.protocol)) {
    return { origin: url.origin, root: url.pathname.replace(/\/+$/, '') }
  }
  throw new InputError('invalid_base_url', 'The base URL is not a plain http or https address', {
    param: 'base_url',
    hint: 'It looks like https://api.example.com/v3: bankapi login --base-url …',
  })
}
