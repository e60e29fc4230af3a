import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()
const account = 'acc_FDE_12301'
const folder = (...names: string[]) => join(emulator.shell.folder, ...names)
const download = async (rest: string) => {
  const { code, stdout, stderr } = await emulator.run(`bankapi ${rest} --json`)
  return { code, stderr, ...(stdout === '' ? {} : JSON.parse(stdout)) }
}

it('all statements of an account, a folder for it, a PDF for each; again it downloads none', async () => {
  const ids = (await emulator.text(`bankapi statements list ${account} --jq '.data[].id'`)).split('\n')
  const first = await download(`statements download --account ${account} --to all`)
  expect(first.summary).toEqual({ saved: ids.length })
  expect(readdirSync(folder('all', account)).sort()).toEqual(ids.map((id) => `${id}.pdf`).sort())
  for (const { file, bytes } of first.data) {
    expect(readFileSync(folder(file), 'latin1')).toMatch(/^%PDF-/)
    expect(statSync(folder(file)).size).toBe(bytes)
    expect(statSync(folder(file)).mode & 0o077).toBe(0)
  }
  expect((await download(`statements download --account ${account} --to all`)).summary).toEqual({
    there: ids.length,
  })
})

it('all of a Client: of every account of it; of checks the accounts that have some', async () => {
  const accounts = (await emulator.text(`bankapi accounts list --all --jq '.data[].id'`)).split('\n')
  const { data } = await download('statements download --to all')
  expect(new Set(data.map(({ account_id }: { account_id: string }) => account_id)).size).toBeGreaterThan(5)
  for (const name of readdirSync(folder('all'))) expect(accounts).toContain(name)
  const checks = await download('checks download --to checks')
  expect(checks.code).toBe(0)
  expect(readdirSync(folder('checks', account)).every((name) => /^chk_.*\.(jpg|png)$/.test(name))).toBe(true)
  expect((await download(`checks download ${account} --to checks`)).summary).toEqual({
    there: checks.data.length,
  })
})

it('one that fails is a row, with --keep-going the others are saved (exit 9); the next run has it', async () => {
  await emulator.text(`bankapi emulator faults add 'GET /statements/*/download' --status 404 --times 1`)
  const { code, summary } = await download(`statements download --account ${account} --to all --keep-going`)
  expect([code, summary.failed]).toEqual([9, 1])
  const again = await download(`statements download --account ${account} --to all`)
  expect([again.code, again.summary]).toEqual([0, { there: summary.saved, saved: 1 }])
})

it('a file that is there is kept without --force', async () => {
  await download(`statements download --account ${account} --to all`)
  const [name = ''] = readdirSync(folder('all', account))
  const path = folder('all', account, name)
  writeFileSync(path, 'mine')
  await download(`statements download --account ${account} --to all`)
  expect(readFileSync(path, 'utf8')).toBe('mine')
  await download(`statements download --account ${account} --to all --force`)
  expect(readFileSync(path, 'latin1')).toMatch(/^%PDF-/)
})

it('no id leads out of the folder, and two ids never share a file', async () => {
  const ids = ['stmt_FDE_../../../x', 'stmt_FDE_a/b', 'stmt_FDE_a_b', '..']
  const service = await serve(({ url = '' }, response) => {
    if (url.includes('/download'))
      response.writeHead(200, { 'content-type': 'application/pdf' }).end('%PDF-1')
    else if (url.includes('/statements'))
      json(response, 200, {
        data: ids.map((id) => ({ id, statement_date: '2026-01-31', source: 'FDE', download_url: 'x' })),
        has_more: false,
      })
    else json(response, 404, {})
  })
  const env = {
    BANKAPI_ENV: 'sandbox',
    BANKAPI_BASE_URL: service.baseUrl,
    BANKAPI_API_KEY: 'sk_test_0123456789abcdef',
  }
  await emulator.run(`bankapi statements download --account ${account} --to all --keep-going`, { env })
  const files = readdirSync(folder('all'), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  )
  expect(files.every(({ parentPath }) => parentPath === folder('all', account))).toBe(true)
  expect(existsSync(folder('x.pdf'))).toBe(false)
  expect(readdirSync(emulator.shell.folder)).toEqual(['all'])
})

it.each([
  ['statements download', 'Which statement'],
  ['checks download', 'Which account and check'],
  ['statements download stmt_FDE_1 --to all', 'whole accounts'],
  [`statements download --account ${account}`, '--to'],
  ['statements download --to all -O x', 'output-file'],
])('%s is refused (exit 2)', async (line, said) => {
  const { code, stderr } = await emulator.run(`bankapi ${line}`)
  expect(code).toBe(2)
  expect(stderr).toContain(said)
})
