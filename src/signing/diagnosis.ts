/** The findings of a diagnosis, and a sentence for each. */
import { type BodyChange, undoing } from './body-changes.ts'
import type { Verified } from './webhook.ts'

export type SecretForm = 'given_without_prefix' | 'without_prefix' | 'with_newline'
export type SignatureForm = 'prefixed' | 'base64' | 'not_hex_sha256'

export type Finding =
  | { kind: 'verified'; verdict: Verified }
  | { kind: 'missing_header'; header: string }
  | { kind: 'bad_timestamp' }
  | { kind: 'timestamp_too_old'; ageSeconds: number }
  | { kind: 'no_secret' }
  | { kind: 'other_secret'; environment: string; subscription?: string | undefined }
  | {
      kind: 'retired_secret'
      environment: string
      subscription?: string | undefined
      /** Negative while the overlap lasts. */
      overSeconds: number
    }
  | { kind: 'timestamp_not_signed' }
  | { kind: 'secret_form'; form: SecretForm }
  | { kind: 'signature_form'; form: SignatureForm }
  | { kind: 'body_changed'; change: BodyChange }
  | { kind: 'unknown'; bodyWasDecoded: boolean }

export type Diagnosis = Finding & {
  /** For a person. It names known secrets by their labels, and quotes only numbers from the request. */
  sentence: string
}

const secretForms = {
  given_without_prefix:
    'It verifies with whsec_ in front of the secret in use here: the key is the whole secret string, its prefix included.',
  without_prefix:
    'It was signed with the secret without its whsec_ prefix: the key is the whole secret string.',
  with_newline:
    'It was signed with the secret and a newline behind it: read the secret without its line end.',
} as const satisfies Record<SecretForm, string>

const signatureForms = {
  prefixed: 'The signature is right but has a scheme in front of it: the header holds the bare hex digits.',
  base64: 'The signature is right but written in base64: the header holds lower-case hex digits.',
  not_hex_sha256: 'The signature is not 64 hex digits: it was cut, or made with another algorithm.',
} as const satisfies Record<SignatureForm, string>

/** One or two sentences: what is wrong and, where known, what to do. */
export function sentenceFor(finding: Finding): string {
  switch (finding.kind) {
    case 'verified':
      return 'The signature verifies.'
    case 'missing_header':
      return `The header ${finding.header} is missing: a proxy dropped it, or this is not a delivery of the service.`
    case 'bad_timestamp':
      return 'The timestamp is not a number of Unix seconds.'
    case 'timestamp_too_old':
      return tooOld(finding.ageSeconds)
    case 'no_secret':
      return 'No signing secret is known here, so no signature can be verified.'
    case 'other_secret':
      return `It was signed with ${owner('the', finding)}, which is not the secret in use here.`
    case 'retired_secret':
      return retired(finding)
    case 'timestamp_not_signed':
      return 'The body was signed alone: the signature must cover the timestamp, a dot, and the body.'
    case 'secret_form':
      return secretForms[finding.form]
    case 'signature_form':
      return signatureForms[finding.form]
    case 'body_changed':
      return `The body was changed on its way: it verifies after ${undoing(finding.change)}.`
    case 'unknown':
      return unknown(finding.bodyWasDecoded)
  }
}

function tooOld(ageSeconds: number): string {
  return (
    `The signature is right, but the timestamp is ${duration(ageSeconds)} old; more than 5 min is refused as a ` +
    "replay. A delivery was repeated, or this machine's clock is ahead."
  )
}

function retired(finding: Extract<Finding, { kind: 'retired_secret' }>): string {
  const signed = `It was signed with ${owner('the old', finding)}`
  if (finding.overSeconds <= 0) {
    return `${signed}, whose 24 h overlap lasts ${duration(-finding.overSeconds)} more: use it beside the new one.`
  }
  return `${signed}, and its 24 h overlap is over since ${duration(finding.overSeconds)}: use the new one.`
}

function owner(article: string, of: { environment: string; subscription?: string | undefined }): string {
  const secret = `${article} ${of.environment} secret`
  return of.subscription === undefined ? secret : `${secret} of ${of.subscription}`
}

function unknown(bodyWasDecoded: boolean): string {
  const sentence =
    'No secret known on this machine gives this signature: another secret signed it, or the body changed.'
  return bodyWasDecoded
    ? `${sentence} The body holds U+FFFD, which stands where bytes were decoded as text and lost.`
    : sentence
}

/** `45 s`, `11 min`, `3 h`, `4 d`. */
function duration(seconds: number): string {
  if (seconds < 120) return `${Math.floor(seconds)} s`
  if (seconds < 2 * 3600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}
