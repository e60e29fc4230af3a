/**
 * The protocol's conformance suite against the emulator's connector. mcp-conformance.json lists what does not pass, with the
 * reason: a new failure fails here, and so does one of the list that passes.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { revisions, withKey } from '../support/connector-client.ts'
import { conformance } from '../support/mcp-conformance.ts'
import { runningEmulator } from '../support/running-emulator.ts'

interface Expected {
  readonly reason: string
  readonly failures: readonly string[]
}

const expected = JSON.parse(readFileSync(new URL('mcp-conformance.json', import.meta.url), 'utf8')) as Record<
  string,
  Expected[]
>

test.each(revisions)('what does not pass for %s is listed with its reason', async (revision) => {
  const { passed, failed } = await conformance(await withKey(await runningEmulator()), revision)
  const listed = (expected[revision] ?? []).flatMap(({ failures }) => failures)
  expect(failed).toEqual(listed.toSorted())
  expect(passed).toEqual(expect.arrayContaining(always))
})

/** A suite that could not reach the server would fail nothing, either. */
const always = ['dns-rebinding-protection: localhost-host-valid-accepted', 'tools-list: tools-list']
