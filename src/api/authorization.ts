/** How a request proves who sends it: a Bearer key, the portal's signature, or nothing. */
import type { Auth } from '../contract/endpoint.ts'
import { headers as names } from '../contract/service.ts'
import { InputError } from './errors.ts'
import type { ApiOptions } from './options.ts'

export interface Signable {
  /** The exact bytes of the body that are sent. */
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** The headers to add. Rejects with what the credential source rejects with, or InputError. */
export async function authorize(
  auth: Auth,
  source: Pick<ApiOptions, 'credential' | 'portalSecret'>,
  request: Signable,
): Promise<Record<string, string>> {
  if (auth === 'none') return {}
  if (auth === 'bearer') return { Authorization: `Bearer ${headerSafe(await source.credential())}` }

  const secret = (await source.portalSecret?.()) ?? ''
  if (secret === '') {
    throw new InputError('portal_secret_missing', 'The portal bootstrap secret is missing', {
      hint: 'Portal calls are signed with it: put it in BANKAPI_PORTAL_SECRET',
    })
  }
  const { signPortal } = await import('../signing/portal.ts')
  const payload = auth === 'portal-body' ? request.body : portalUser(request.headers)
  return { [names.portalSignature]: await signPortal({ secret, payload }) }
}

function portalUser(headers: Readonly<Record<string, string>>): string {
  const wanted = names.portalUser.toLowerCase()
  const [, value = ''] = Object.entries(headers).find(([name]) => name.toLowerCase() === wanted) ?? []
  if (value !== '') return value
  throw new InputError('missing_parameter', `${names.portalUser} is missing`, {
    param: names.portalUser,
    hint: `Say whose status: ${names.portalUser}`,
  })
}

function headerSafe(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new InputError('invalid_credential', 'The API key holds characters that no key has', {
    hint: 'Store it again, without spaces or line breaks: bankapi login',
  })
}
