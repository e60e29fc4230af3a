/** Targets of deliveries as users write them. */
import { UsageError } from '../../cli/errors/errors.ts'

/** The URL that stands after `--to`. @throws UsageError for a route of some event types only. */
export async function targetUrlOf(text: string): Promise<string> {
  const { parseForward } = await import('../../listener/forward-url.ts')
  const { match, url } = parseForward(text)
  if (match === undefined) return url
  throw new UsageError(`--to takes one target, without "${match}="`, { code: 'invalid_forward' })
}
