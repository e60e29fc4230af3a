/** The base class of commands that replace the redirect allowlist: they show the new set first, because a POST overwrites all. */
import type { Command } from '@oclif/core'
import { ApiResponseError, UnreadableResponseError } from '../../api/errors.ts'
import { ApiCommand } from '../../cli/command/api-command.ts'
import { UsageError } from '../../cli/errors/errors.ts'
import { type RedirectAllowlist, redirectAllowlistLimits } from '../../contract/redirect-urls.ts'
import { BankapiError, type ExitName } from '../../errors.ts'
import { allowlistText } from '../../output/resources.ts'
import { safeText } from '../../output/safe-text.ts'
import type { View } from '../../output/view.ts'

export abstract class AllowlistCommand<T extends typeof Command> extends ApiCommand<T, RedirectAllowlist> {
  /**
   * The current set. The read is assumed: a refusal of it or an answer of another form leaves the set unknown, as does a
   * 404, which may mean that there is none. A failure that may pass is thrown as it is.
   * @throws BankapiError `allowlist_unknown` when the answer does not say which URLs there are
   */
  protected async current(hint = ''): Promise<readonly string[]> {
    const read = this.api.redirectUrls.get({}, { signal: this.signal })
    const answer = await read.catch((error: unknown) => {
      const why = reasonOf(error)
      if (why === undefined) throw error
      throw unknownAllowlist(why, (error as BankapiError).exit, hint, error)
    })
    const urls: unknown = answer.allowed_redirect_urls
    if (Array.isArray(urls) && urls.every((url) => typeof url === 'string')) return urls
    throw unknownAllowlist('the answer has no list allowed_redirect_urls', 'unexpected', hint)
  }

  /** Shows what will change, or the whole set where the one before is not known; asks, and replaces it. */
  protected async replace(
    before: readonly string[] | undefined,
    after: readonly string[],
  ): Promise<RedirectAllowlist> {
    if (after.length > redirectAllowlistLimits.urls) {
      throw new UsageError(
        `That would be ${after.length} URLs; the allowlist takes ${redirectAllowlistLimits.urls}`,
      )
    }
    const mark = (url: string): string => (before === undefined ? '' : before.includes(url) ? '  ' : '+ ')
    for (const url of after) this.tell(`${mark(url)}${safeText(url)}`)
    for (const url of before ?? []) if (!after.includes(url)) this.tell(`- ${safeText(url)}`)
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

const refusals: readonly number[] = [400, 403, 404, 405, 410, 501]

/** Why an error leaves the allowlist unknown; undefined for one that trying again may help. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof UnreadableResponseError) {
    return error.reason === 'cut' ? undefined : 'the answer is not one that can be read'
  }
  if (!(error instanceof ApiResponseError && refusals.includes(error.httpStatus))) return undefined
  const { code, httpStatus } = error
  return `the service answered ${httpStatus}${code === 'insufficient_scope' ? ' (insufficient_scope)' : ''}`
}

function unknownAllowlist(why: string, exit: ExitName, hint: string, cause?: unknown): BankapiError {
  return new BankapiError(
    `The current allowlist is not known: ${why}. Nothing was sent, as a POST replaces all of it`,
    {
      code: 'allowlist_unknown',
      exit,
      hint:
        "The reference does not show how it is read. Set the right path: bankapi config set endpoints.redirectUrls.get 'GET /path'" +
        `${hint}\nOr give the whole set: bankapi redirect-urls set URL …`,
      cause,
    },
  )
}
