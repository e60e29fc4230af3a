import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()
const account = 'acc_FDE_12301'

it('FDE accounts have checks: data from the bank and, separately, what was read from the image', async () => {
  const list = JSON.parse(await emulator.text(`bankapi checks list ${account} --json`))
  const check = list.data.find(({ ocr }: { ocr?: object }) => ocr !== undefined)
  expect(JSON.parse(await emulator.text(`bankapi checks get ${account} ${check.id} --json`))).toEqual(check)
  expect(check).toMatchObject({ source: 'FDE', check_number: expect.stringMatching(/^\d+$/) })
  expect(Object.keys(check.ocr)).not.toEqual([])
})

it('an FDE account without checks has an empty list, and no word of other sources', async () => {
  const { data } = JSON.parse(
    await emulator.text('bankapi accounts list --connection con_FDE_123 --json'),
  ) as {
    data: { id: string }[]
  }
  const notes: string[] = []
  for (const { id } of data) {
    const { stdout, stderr } = await emulator.run(`bankapi checks list ${id}`)
    if (stdout === '') notes.push(stderr.replace(id, 'ID'))
  }
  expect(new Set(notes)).toEqual(new Set(['No checks of ID.\n']))
})

it('accounts of other sources have an empty list, with a note on stderr and exit 0', async () => {
  expect(
    await emulator.transcript(
      'bankapi checks list acc_AGGREGATOR_A_100101',
      'bankapi checks list acc_AGGREGATOR_A_100101 --json',
      'bankapi checks get acc_FDE_12301 chk_FDE_none',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi checks list acc_AGGREGATOR_A_100101
    2> No checks of acc_AGGREGATOR_A_100101: only FDE accounts have any.
    $ bankapi checks list acc_AGGREGATOR_A_100101 --json
    {
      "data": [],
      "next_cursor": null,
      "has_more": false
    }
    2> No checks of acc_AGGREGATOR_A_100101: only FDE accounts have any.
    $ bankapi checks get acc_FDE_12301 chk_FDE_none
    2> Error: There is no chk_FDE_none for this customer in local (not_found)
    2> Try: Check the id, the Client and the environment: what belongs to another one reads as not found
    2> The service says: No such check.
    2> Docs: http://127.0.0.1:PORT/errors/not_found
    2> Trace id: UUID
    [exit 5]
    "
  `)
})

it('the image is saved with the extension of its real format', async () => {
  const id = await emulator.text(`bankapi checks list ${account} --limit 1 --jq '.data[].id'`)
  const saved = JSON.parse(await emulator.text(`bankapi checks download ${account} ${id} --json`))
  expect(saved).toMatchObject({ file: `${id}.jpg`, content_type: 'image/jpeg' })
  const image = readFileSync(join(emulator.shell.folder, saved.file))
  expect([image.length, image.subarray(0, 3).toString('hex')]).toEqual([saved.bytes, 'ffd8ff'])
})
