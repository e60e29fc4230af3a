/** Refuses redirect URLs that the service is sure to refuse, before anything is sent. */
import { isThisMachine } from '../../config/base-url.ts'
import { misspelling } from '../../contract/redirect-urls.ts'
import { UsageError } from '../errors/errors.ts'

/** Only the service checks what a name resolves to. @throws UsageError `invalid_url` */
export function assertRedirectUrl(url: string): string {
  const reason = misspelling(url)
  const local = URL.canParse(url) && isThisMachine(new URL(url))
  if (reason === undefined && !local) return url
  throw new UsageError(`${shown(url)} ${reason ?? 'is on this machine, where the service sends nobody'}`, {
    code: 'invalid_url',
    ...(local ? { hint: elsewhere } : {}),
  })
}

const elsewhere =
  'The service, and so the emulator, redirects only to https addresses outside a private network.\n' +
  'While you develop, leave the redirect URL out: the page then ends with its own message. Or use a tunnel that gives ' +
  'this machine an https address: bankapi redirect-urls add https://…'

/** The beginning of a URL, without a password: the message may be logged. */
function shown(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//…@').slice(0, 100)
}
