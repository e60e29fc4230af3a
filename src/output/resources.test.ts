import { expect, test } from 'vitest'
import type { RedirectAllowlist } from '../contract/redirect-urls.ts'
import { plainPaint } from './palette.ts'
import { allowlistText } from './resources.ts'
import { createView } from './view.ts'

const view = createView({ width: 80, paint: plainPaint, tty: false, now: () => 0 })

test.each([
  [{ allowed_redirect_urls: ['https://a.example/'] }, 'https://a.example/'],
  [{ allowed_redirect_urls: [] }, 'The allowlist is empty: every redirect is denied.'],
  [{ urls: ['https://a.example/'] }, 'urls:\thttps://a.example/\n'],
  [{ allowed_redirect_urls: [1] }, 'allowed_redirect_urls:\t1\n'],
])('an allowlist is its URLs, one a line; an answer without them is shown whole: %j', (answer, text) => {
  expect(allowlistText(answer as unknown as RedirectAllowlist, view)).toBe(text)
})
