import type { RedirectAllowlist } from '../../contract/redirect-urls.ts'
import { safeText } from '../safe-text.ts'
import type { View } from '../view.ts'

/** One URL a line: the whole set, which is what every change replaces. */
export function allowlistText({ allowed_redirect_urls: urls }: RedirectAllowlist, out: View): string {
  return urls.length === 0
    ? out.warn('The allowlist is empty: every redirect is denied.')
    : urls.map((url) => safeText(url)).join('\n')
}
