/** Targets as users write them, read by the listener's own rules. */
import type { ForwardRoute } from '../listener/forward-url.ts'
import { UsageError } from './usage-error.ts'

/** What stands after `--forward`: a target, perhaps for some event types only. @throws UsageError */
export async function forwardRoute(text: string): Promise<ForwardRoute> {
  const { parseForward, ForwardUrlError } = await import('../listener/forward-url.ts')
  try {
    return parseForward(text)
  } catch (error) {
    if (error instanceof ForwardUrlError) throw new UsageError(error.message, { code: 'invalid_forward' })
    throw error
  }
}

/** What stands after `--to`: the URL of one target. @throws UsageError */
export async function targetUrlOf(text: string): Promise<string> {
  const { match, url } = await forwardRoute(text)
  if (match === undefined) return url
  throw new UsageError(`--to takes one target, without "${match}="`, { code: 'invalid_forward' })
}
