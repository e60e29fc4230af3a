import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { testInbox } from '../../test/support/test-inbox.ts'

const { open, delivery } = testInbox()

test('what was erased is in none of the files any more', async () => {
  const inbox = open()
  const body = Buffer.from('{"client_id":"cli_1","note":"only-in-this-body"}')
  await inbox.deliveries.record(delivery('evt_1', { body }))
  const kept = () =>
    ['', '-wal'].some((suffix) => readFileSync(inbox.place + suffix).includes('only-in-this-body'))
  expect(kept()).toBe(true)
  expect(await inbox.deliveries.erase('sandbox', new Set(['cli_1']))).toBe(1)
  expect(kept()).toBe(false)
})

test('an inbox without deliveries has nothing to erase', async () => {
  expect(await open().deliveries.erase('sandbox', new Set(['cli_1']))).toBe(0)
})
