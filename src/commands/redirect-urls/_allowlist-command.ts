/** The base class of commands that replace the redirect allowlist: they show the new set first, because a POST overwrites all. */

import type { Command } from '@oclif/core'
import { ApiResponseError } from '../../api/errors.ts'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { misspelling, type RedirectAllowlist, redirectAllowlistLimits } from '../../contract/redirect-urls.ts'
import { allowlistText } from '../../output/resources.ts'
import { safeText } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'

export abstract class AllowlistCommand<T extends typeof Command> extends ApiCommand<T, RedirectAllowlist> {
  /** The current set; empty while the service has none. */
  protected async current(): Promise<readonly string[]> {
    try {
      const { allowed_redirect_urls } = await this.api.redirectUrls.get({}, { signal: this.signal })
      return allowed_redirect_urls
    } catch (error) {
      if (error instanceof ApiResponseError && error.httpStatus === 404 && error.envelope) return []
      throw error
    }
  }

  /** Shows what will change, asks, and replaces the set. */
  protected async replace(before: readonly string[], after: readonly string[]): Promise<RedirectAllowlist> {
    for (const url of after) assertAllowable(url)
    if (after.length > redirectAllowlistLimits.urls) {
      throw new UsageError(
        `That would be ${after.length} URLs; the allowlist takes ${redirectAllowlistLimits.urls}`,
      )
    }
    for (const url of after) this.note(`${before.includes(url) ? ' ' : '+'} ${safeText(url)}`)
    for (const url of before) if (!after.includes(url)) this.note(`- ${safeText(url)}`)
    await this.confirm(
      after.length === 0
        ? 'Store an empty allowlist? Every redirect is denied then.'
        : 'Replace the allowlist by this set?',
    )
    return this.api.redirectUrls.set({ allowed_redirect_urls: [...after] }, { signal: this.signal })
  }

  protected override view(allowlist: RedirectAllowlist, out: View): string {
    return allowlistText(allowlist, out)
  }
}

/** @throws UsageError for a URL that the service is sure to refuse. Only the service checks what its name resolves to. */
function assertAllowable(url: string): void {
  const reason = misspelling(url)
  if (reason !== undefined) throw new UsageError(`${shown(url)} ${reason}`, { code: 'invalid_url' })
}

/** The beginning of a URL, without a password: the message may be logged. */
function shown(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//…@').slice(0, 100)
}
