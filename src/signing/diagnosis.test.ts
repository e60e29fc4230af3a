import { expect, test } from 'vitest'
import { type Finding, sentenceFor } from './diagnosis.ts'

const environment = 'live'
const retired = (overSeconds: number): Finding => ({ kind: 'retired_secret', environment, overSeconds })

test.each<[Finding, RegExp]>([
  [
    {
      kind: 'verified',
      verdict: { verified: true, timestamp: 1, ageSeconds: 0, header: 'signature', secretIndex: 0 },
    },
    /^The signature verifies/,
  ],
  [{ kind: 'missing_header', header: 'X-Any' }, /^The header X-Any is missing/],
  [{ kind: 'bad_timestamp' }, /^The timestamp is not a number/],
  [{ kind: 'timestamp_too_old', ageSeconds: 400 }, /the timestamp is 6 min old/],
  [{ kind: 'no_secret' }, /^No signing secret is known/],
  [{ kind: 'other_secret', environment }, /^It was signed with the live secret, which is not/],
  [{ kind: 'other_secret', environment, subscription: 'whk_1' }, /with the live secret of whk_1, which/],
  [{ kind: 'timestamp_not_signed' }, /^The body was signed alone/],
  [{ kind: 'secret_form', form: 'without_prefix' }, /without its whsec_ prefix/],
  [{ kind: 'secret_form', form: 'with_newline' }, /a newline behind it/],
  [{ kind: 'signature_form', form: 'prefixed' }, /a scheme in front of it/],
  [{ kind: 'signature_form', form: 'base64' }, /written in base64/],
  [{ kind: 'signature_form', form: 'not_hex_sha256' }, /not 64 hex digits/],
  [{ kind: 'body_changed', change: 'final_newline_added' }, /verifies after removing the final newline\.$/],
  [{ kind: 'unknown', bodyWasDecoded: true }, /another secret signed it, .* U\+FFFD/],
  [{ kind: 'unknown', bodyWasDecoded: false }, /another secret signed it, or the body changed\.$/],
])('%j has a sentence of its own', (finding, sentence) => {
  expect(sentenceFor(finding)).toMatch(sentence)
})

test.each([
  [0, 'lasts 0 s more: use it beside'],
  [-119, 'lasts 119 s more: use it beside'],
  [-86_400, 'lasts 24 h more: use it beside'],
  [1, 'is over since 1 s: use the new one'],
  [119.9, 'is over since 119 s'],
  [120, 'is over since 2 min'],
  [7199, 'is over since 119 min'],
  [7200, 'is over since 2 h'],
  [172_799, 'is over since 47 h'],
  [172_800, 'is over since 2 d'],
  [864_000, 'is over since 10 d'],
])('the overlap of an old secret that ended %i s ago %s', (overSeconds, words) => {
  expect(sentenceFor(retired(overSeconds))).toContain(words)
})
