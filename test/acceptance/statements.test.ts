import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()
const account = 'acc_FDE_12301'
let id = ''

beforeEach(async () => {
  id = await emulator.text(`bankapi statements list ${account} --limit 1 --jq '.data[].id'`)
})

it('statements are listed for an account and shown one by one; account_id is null then', async () => {
  expect(await emulator.text(`bankapi statements list ${account} --jq '.data[0].account_id'`)).toBe(account)
  expect(JSON.parse(await emulator.text(`bankapi statements get ${id} --json`))).toMatchObject({
    id,
    account_id: null,
    source: 'FDE',
    download_url: expect.stringContaining(`/v3/statements/${id}/download`),
  })
})

it('a download is saved in the current folder under its id, as a complete PDF', async () => {
  const saved = JSON.parse(await emulator.text(`bankapi statements download ${id} --json`))
  const content = readFileSync(join(emulator.shell.folder, `${id}.pdf`), 'latin1')
  expect(saved).toEqual({ id, file: `${id}.pdf`, bytes: content.length, content_type: 'application/pdf' })
  expect(content).toMatch(/^%PDF-[\s\S]*%%EOF\s*$/)
  expect(readdirSync(emulator.shell.folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

it('an existing file is kept without --force (exit 2), and replaced with it', async () => {
  const path = join(emulator.shell.folder, 'mine.pdf')
  writeFileSync(path, 'mine')
  const { code, stderr } = await emulator.run(`bankapi statements download ${id} -O mine.pdf`)
  expect([code, readFileSync(path, 'utf8')]).toEqual([2, 'mine'])
  expect(stderr).toContain('--force')
  await emulator.text(`bankapi statements download ${id} -O mine.pdf --force`)
  expect(readFileSync(path, 'latin1')).toMatch(/^%PDF-/)
})

it('-O - writes only the bytes to a pipe, and nothing to a terminal (exit 2)', async () => {
  const { stdout, stderr } = await emulator.run(`bankapi statements download ${id} -O - | head -c 5`)
  expect([stdout, stderr]).toEqual(['%PDF-', ''])
  const screen = await emulator.screen(`bankapi statements download ${id} -O -`)
  expect(screen).toContain('A terminal cannot show this file')
  expect(screen).toContain('[exit 2]')
})

it('extract uploads a PDF; with --wait it prints the line items', async () => {
  const pdf = join(emulator.shell.folder, 'march.pdf')
  await emulator.text(`bankapi statements download ${id} -O march.pdf`)
  expect(existsSync(pdf)).toBe(true)
  const operation = JSON.parse(await emulator.text('bankapi statements extract march.pdf --wait --json'))
  expect(operation).toMatchObject({ status: 'succeeded', result: { kind: 'statement_extraction' } })
  const shown = await emulator.screen('bankapi statements extract march.pdf --wait')
  for (const { amount } of operation.result.line_items.slice(0, 3)) {
    const digits = amount.toLocaleString('en-US', { minimumFractionDigits: 2 })
    expect(shown).toMatch(new RegExp(`DATE .* ${digits} +[\\d,.]+$`, 'm'))
  }
  expect(shown).toMatch(/closing balance: +-?[\d,.]+ USD/)
  writeFileSync(join(emulator.shell.folder, 'other.pdf'), '%PDF-1.7 from a scanner')
  expect(await emulator.screen('bankapi statements extract other.pdf --wait')).toMatch(/^line items: none$/m)
  expect(await emulator.text('bankapi operations list --limit 1 --columns status,subject')).toBe(
    'succeeded\tother.pdf',
  )
})

it('the setting upload.encoding makes extract send the bytes of the PDF themselves, with their type and length', async () => {
  const { baseUrl, heard } = await serve((_, response) =>
    json(response, 202, { operation_id: 'op_1', status: 'queued', poll_url: `${baseUrl}/operations/op_1` }),
  )
  const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: 'sk_test_ab12cdef' }
  writeFileSync(join(emulator.shell.folder, 'march.pdf'), '%PDF-1.7 of march')
  for (const set of ['true', 'bankapi config set upload.encoding raw']) {
    await emulator.text(`${set}; bankapi statements extract march.pdf --json`, { env })
  }
  expect(heard.map(({ headers }) => headers['content-type']?.split(';')[0])).toEqual([
    'multipart/form-data',
    'application/pdf',
  ])
  expect(heard[1]?.headers).toMatchObject({ 'content-length': '17' })
  expect(heard[1]?.body.toString()).toBe('%PDF-1.7 of march')
  expect(await emulator.text('bankapi statements extract march.pdf --wait --jq .status')).toBe('succeeded')
  expect((await emulator.run('bankapi config set upload.encoding base64')).code).toBe(2)
  await emulator.text('bankapi config unset upload.encoding')
})

it('a file that is not a PDF, too large or missing is not uploaded (exit 2)', async () => {
  expect(
    await emulator.transcript(
      "echo 'not a pdf' > text.pdf; bankapi statements extract text.pdf",
      'truncate -s 31M large.pdf; bankapi statements extract large.pdf',
      'bankapi statements extract nowhere.pdf',
      'bankapi statements extract .',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ echo 'not a pdf' > text.pdf; bankapi statements extract text.pdf
    2> Error: text.pdf is not a PDF (wrong_content)
    [exit 2]
    $ truncate -s 31M large.pdf; bankapi statements extract large.pdf
    2> Error: large.pdf is larger than the 30 MB the service takes (file_too_large)
    [exit 2]
    $ bankapi statements extract nowhere.pdf
    2> Error: nowhere.pdf is not a file that can be read (unreadable_file)
    [exit 2]
    $ bankapi statements extract .
    2> Error: . is not a file that can be read (unreadable_file)
    [exit 2]
    "
  `)
})
