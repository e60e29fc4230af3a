/**
 * A profile has a name of its own and the rules of sandbox or of live: who asks for the name `live` forgets the profiles.
 * Environments are told apart by their mode; their names are only shown, stored and looked up.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../support/built-program.ts'

/** A name of an environment beside a comparison with one of the three. */
const comparison =
  /\b(env|environment|environmentName)(\.(value|name))?\s*[!=]==?\s*'(live|sandbox|local)'|\.(environment|name)\s*[!=]==?\s*'(live|sandbox)'|'(live|sandbox)'\s*[!=]==?\s*\w*environment/i

/** Where a name is meant: the mirror's mark holds the name of `local`, which no profile can have. */
const names = ['src/sync/mirror/open.ts']

it('nothing compares the name of an environment with live or sandbox', () => {
  const found = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter(
      (path) => /\.tsx?$/.test(path) && !/\.test\.|^src\/emulator\//.test(path) && !names.includes(path),
    )
    .flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .filter((line) => comparison.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
  expect(found).toEqual([])
})

it.each([
  "if (session.environment.value === 'live') {",
  "const other = environment === 'live' ? 'sandbox' : 'live'",
  "if (environment !== 'local') await",
  "key.environment == 'sandbox'",
])('and such a comparison is found: %s', (line) => {
  expect(comparison.test(line)).toBe(true)
})

it.each(["environment.mode === 'live'", "mode !== 'local'", "if (mode === 'sandbox' ||"])(
  'while the mode is what to ask for: %s',
  (line) => {
    expect(comparison.test(line)).toBe(false)
  },
)
