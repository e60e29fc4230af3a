/**
 * The protocol's conformance suite through `bankapi mcp --connector`. The suite speaks HTTP, so a gateway stands in front: what
 * the bridge passes on fails no more than the emulator's connector does itself.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { revisions } from '../support/connector-client.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { conformance } from '../support/mcp-conformance.ts'
import { stdioGateway } from '../support/stdio-gateway.ts'

type Expected = Readonly<Record<string, readonly { readonly failures: readonly string[] }[]>>

const expected = JSON.parse(
  readFileSync(new URL('../emulator/mcp-conformance.json', import.meta.url), 'utf8'),
) as Expected
const emulator = emulatorShell()

test.each(revisions)('through the bridge, %s fails as without it', async (revision) => {
  const url = await stdioGateway(['mcp', '--connector'], emulator.shell.env)
  const { passed, failed } = await conformance(url, revision)
  const listed = (expected[revision] ?? []).flatMap(({ failures }) => failures)
  expect(failed).toEqual(listed.toSorted())
  expect(passed).toContain('tools-list: tools-list')
})
