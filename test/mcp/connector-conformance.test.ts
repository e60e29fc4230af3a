/**
 * The protocol's conformance suite through `bankapi mcp --connector`. The suite speaks HTTP, so a gateway stands in front.
 * What does not pass is what the emulator's connector does not pass itself, and what connector-conformance.json lists with the
 * reason: a new failure fails here, and so does one of the lists that passes.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { revisions } from '../support/connector-client.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { conformance } from '../support/mcp-conformance.ts'
import { stdioGateway } from '../support/stdio-gateway.ts'

type Expected = Readonly<Record<string, readonly { readonly failures: readonly string[] }[]>>

const lists = ['../emulator/mcp-conformance.json', 'connector-conformance.json'].map(
  (file) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as Expected,
)
const emulator = emulatorShell()

test.each(revisions)(
  'what does not pass for %s through the bridge is listed with its reason',
  async (revision) => {
    const url = await stdioGateway(['mcp', '--connector'], emulator.shell.env)
    const { passed, failed } = await conformance(url, revision)
    const listed = lists.flatMap((list) => (list[revision] ?? []).flatMap(({ failures }) => failures))
    expect(failed).toEqual(listed.toSorted())
    expect(passed).toContain('tools-list: tools-list')
  },
)
