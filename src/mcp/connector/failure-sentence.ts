/** Says in a sentence why a message could not be passed on. */
import { ApiResponseError } from '../../api/errors.ts'
import { BankapiError } from '../../errors.ts'
import { safeText } from '../../output/safe-text.ts'
import { redacted } from '../../secrets/redaction.ts'

/** Of what the service says itself. */
const MAX_CHARACTERS = 300

/** One line, safe for a terminal and without secrets. */
export function failureSentence(error: unknown, url: string): string {
  return redacted(safeText(sentenceOf(error, url)))
}

function sentenceOf(error: unknown, url: string): string {
  if (error instanceof ApiResponseError) return refusal(error, url)
  if (!(error instanceof BankapiError)) return error instanceof Error ? error.message : String(error)
  // Its hint is about --limit, which this command has not.
  const hint = 'reason' in error && error.reason === 'too_large' ? undefined : error.hint
  return [error.message, ...(hint === undefined ? [] : [hint])].join('. ')
}

function refusal({ httpStatus, code, message, envelope, traceId }: ApiResponseError, url: string): string {
  const trace = traceId === undefined ? '' : `. Trace id: ${clip(traceId)}`
  const status = code === `http_${httpStatus}` ? `HTTP status ${httpStatus}` : clip(code)
  const said = envelope ? `${status}: ${clip(message)}` : status
  switch (httpStatus) {
    case 401:
      return `The service refused the API key (${said})${trace}. Store another one: bankapi login`
    case 404:
    case 405:
      return `The service has no connector at ${url} (${said})${trace}. Check the base URL: bankapi doctor`
    case 413:
      return `The message is larger than the service takes (${said})${trace}`
    default:
      return `The service answered ${said}${trace}`
  }
}

function clip(text: string): string {
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, MAX_CHARACTERS)}…`
}
