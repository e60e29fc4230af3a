/** The redirect allowlist: set as a whole, and asked before a user is sent anywhere. */
import { redirectAllowlistLimits } from '../../contract/redirect-urls.ts'
import type { Engine } from './engine.ts'
import { Problem } from './problem.ts'
import { checkRedirectUrl } from './redirect-rules.ts'

/** Replaces the whole set; an empty one denies every redirect. Throws `validation_failed` naming each bad URL. */
export async function setAllowlist(engine: Engine, tenant: number, urls: readonly string[]): Promise<void> {
  const name = 'allowed_redirect_urls'
  const { urls: most } = redirectAllowlistLimits
  if (urls.length > most) refuse([{ param: name, message: `holds more than ${most} URLs`, code: 'too_big' }])
  const verdicts = await Promise.all(urls.map((url) => checkRedirectUrl(url, engine.resolve)))
  const errors = verdicts.flatMap((verdict, index) =>
    verdict.ok ? [] : [{ param: `${name}.${index}`, message: verdict.reason, code: 'url_not_allowed' }],
  )
  if (errors.length > 0) refuse(errors)
  engine.store.allowlists.set(tenant, urls)
}

/** Throws unless `url` is exactly one of the set. Without a row every redirect is refused. */
export function checkRedirect({ store }: Engine, tenant: number, url: string): void {
  if (store.allowlists.get(tenant)?.includes(url)) return
  refuse([{ param: 'redirect_url', message: 'is not on the redirect allowlist', code: 'not_allowlisted' }])
}

function refuse(errors: { param: string; message: string; code: string }[]): never {
  const [{ param, message } = { param: '', message: '' }] = errors
  throw new Problem('validation_failed', `${param}: ${message}`, { param, errors })
}
