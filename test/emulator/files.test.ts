import { describe, expect, test } from 'vitest'
import { runningEmulator, type TestEmulator } from '../support/running-emulator.ts'

/** Fetches a `download_url` as a caller would: a path below the host, with the key or without. */
async function download(emulator: TestEmulator, url: string, key: string | undefined) {
  const response = await fetch(new URL(url, emulator.sandbox.base_url), {
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, type: response.headers.get('content-type'), bytes }
}

function form(bytes: Uint8Array<ArrayBuffer> | string, field = 'file', name = 'march.pdf'): FormData {
  const data = new FormData()
  data.append(field, new File([bytes], name, { type: 'application/pdf' }))
  return data
}

describe('statements', () => {
  test('download_url is a relative /v3 path of the PDF; it needs the Authorization header (401) and does not expire', async () => {
    const emulator = await runningEmulator()
    const { data } = await emulator.get('/accounts/acc_AGGREGATOR_A_100101/statements?client_id=cli_demo')
    expect(data[0].download_url).toMatch(/^\/v3\/statements\/stmt_AGGREGATOR_A_/)
    expect((await download(emulator, data[0].download_url, undefined)).status).toBe(401)
    await emulator.advance(100 * 86_400_000)
    const { status, type, bytes } = await download(emulator, data[0].download_url, emulator.sandbox.api_key)
    expect([status, type, bytes.subarray(0, 5).toString()]).toEqual([200, 'application/pdf', '%PDF-'])
    const other = await download(emulator, data[0].download_url, emulator.otherCustomer.sandbox.api_key)
    expect(other.status).toBe(404)
  })

  test("account_id is the account's when listed and null on get-by-id", async () => {
    const emulator = await runningEmulator()
    const { data } = await emulator.get('/accounts/acc_FDE_12301/statements?client_id=cli_demo')
    expect(data[0].account_id).toBe('acc_FDE_12301')
    expect(await emulator.get(`/statements/${data[0].id}?client_id=cli_demo`)).toEqual({
      ...data[0],
      account_id: null,
    })
  })

  test('are not served for PDF accounts: the list is empty', async () => {
    const emulator = await runningEmulator()
    const pdf = (await emulator.accounts()).find(({ source }) => source === 'PDF')
    expect((await emulator.get(`/accounts/${pdf?.id}/statements?client_id=cli_demo`)).data).toEqual([])
  })

  test('a month that ends brings a statement at the next refresh, announced once, that opens where the last closed', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen(['statement.available'])
    const list = () => emulator.get('/accounts/acc_AGGREGATOR_A_100101/statements?client_id=cli_demo')
    const before = (await list()).data.length
    await emulator.advance(30 * 86_400_000)
    const [newest, ...older] = (await list()).data
    expect([newest.statement_date, older.length]).toEqual(['2026-03-31', before])
    const told = listener.data('statement.available').filter(({ statement }) => statement.id === newest.id)
    expect(told).toEqual([
      {
        statement: {
          id: newest.id,
          account_id: 'acc_AGGREGATOR_A_100101',
          source: 'AGGREGATOR_A',
          statement_date: '2026-03-31',
          client_id: 'cli_demo',
        },
      },
    ])
    expect((await download(emulator, newest.download_url, emulator.sandbox.api_key)).status).toBe(200)
  })
})

describe('checks', () => {
  test('FDE accounts have them with a JPEG of the front; other accounts an empty list, not an error', async () => {
    const emulator = await runningEmulator()
    const { data } = await emulator.get('/accounts/acc_FDE_12301/checks?client_id=cli_demo')
    expect(data.length).toBeGreaterThan(0)
    const [check] = data
    expect(check).not.toHaveProperty('side')
    expect(await emulator.get(`/accounts/acc_FDE_12301/checks/${check.id}?client_id=cli_demo`)).toEqual(check)
    const { status, type, bytes } = await download(emulator, check.download_url, emulator.sandbox.api_key)
    expect([status, type, [...bytes.subarray(0, 3)], [...bytes.subarray(-2)]]).toEqual([
      200,
      'image/jpeg',
      [0xff, 0xd8, 0xff],
      [0xff, 0xd9],
    ])
    expect((await download(emulator, check.download_url, undefined)).status).toBe(401)
    expect((await emulator.get('/accounts/acc_AGGREGATOR_A_100101/checks?client_id=cli_demo')).data).toEqual(
      [],
    )
  })

  test('ocr is absent, not null, when nothing was recognised', async () => {
    const emulator = await runningEmulator()
    const { data } = await emulator.get('/accounts/acc_FDE_12301/checks?client_id=cli_demo&limit=500')
    for (const check of data) if ('ocr' in check) expect(check.ocr).toEqual(expect.any(Object))
    expect(data.some((check: object) => 'ocr' in check)).toBe(true)
  })
})

describe('statement extraction', () => {
  test('takes a PDF as multipart, answers 202, completes by polling without a webhook', async () => {
    const emulator = await runningEmulator()
    const listener = await emulator.listen()
    const answer = await emulator.call('POST', '/statements/extract', { body: form('%PDF-1.7\n…') })
    expect([answer.status, answer.json.status]).toEqual([202, 'queued'])
    await emulator.advance(1000)
    const operation = await emulator.get(`/operations/${answer.json.operation_id}`)
    expect(operation).toMatchObject({ status: 'succeeded', result: { kind: 'statement_extraction' } })
    expect(listener.deliveries).toEqual([])
  })

  test('takes the bytes of a PDF themselves, too: the reference does not show the encoding', async () => {
    const emulator = await runningEmulator()
    const headers = { 'content-type': 'application/pdf' }
    const accepted = await emulator.call('POST', '/statements/extract', { body: '%PDF-1.7\n…', headers })
    expect(accepted.status).toBe(202)
    await emulator.advance(1000)
    expect((await emulator.get(`/operations/${accepted.json.operation_id}`)).status).toBe('succeeded')
    for (const body of ['PK\u0003\u0004', '']) {
      const refused = await emulator.call('POST', '/statements/extract', { body, headers })
      expect([refused.status, refused.json.error.code]).toEqual([400, 'validation_failed'])
    }
  })

  test('reads the true lines of a statement that the emulator made, also when its bank has changed them since', async () => {
    const emulator = await runningEmulator()
    const account = 'acc_FDE_12301'
    const { data } = await emulator.get(`/accounts/${account}/statements?client_id=cli_demo&limit=1`)
    const [{ statement_date, download_url }] = data
    const month = `client_id=cli_demo&from=${statement_date.slice(0, 8)}01&to=${statement_date}&limit=500`
    const rows = (await emulator.get(`/accounts/${account}/transactions?${month}`)).data
    const { bytes } = await download(emulator, download_url, emulator.sandbox.api_key)
    emulator.bank(account).edit(rows[0].id, { amount: -99_999 })
    const extract = async (body: FormData) => {
      const { operation_id } = await emulator.post('/statements/extract', body)
      await emulator.advance(1000)
      return (await emulator.get(`/operations/${operation_id}`)).result
    }
    const result = await extract(form(new Uint8Array(bytes)))
    const said = (lines: { date: string; description: string; amount: number }[]) =>
      lines.map(({ date, description, amount }) => `${date} ${description} ${amount}`).sort()
    expect(said(result.line_items)).toEqual(
      said(rows.filter(({ pending }: { pending: boolean }) => !pending)),
    )
    expect(result.line_items.length).toBeGreaterThan(5)
    expect(result.line_items.at(-1).balance).toBe(result.closing_balance)
    expect(await extract(form('%PDF-1.7\n…'))).toEqual({
      kind: 'statement_extraction',
      file_name: 'march.pdf',
      line_items: [],
    })
  })

  test.each([
    ['no PDF', form('PK\u0003\u0004'), 400, 'validation_failed'],
    ['another field', form('%PDF-1.7', 'document'), 400, 'validation_failed'],
    ['no file at all', new FormData(), 400, 'validation_failed'],
    ['JSON', '{}', 415, 'invalid_request'],
  ])('%s is refused', async (_what, body, status, code) => {
    const emulator = await runningEmulator()
    const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const answer = await emulator.call('POST', '/statements/extract', { body, headers })
    expect([answer.status, answer.json.error.code]).toEqual([status, code])
  })

  test('30 MB are taken, more is 413', async () => {
    const emulator = await runningEmulator()
    const bytes = new Uint8Array(30 * 1024 * 1024)
    bytes.set(new TextEncoder().encode('%PDF-1.7'))
    expect((await emulator.call('POST', '/statements/extract', { body: form(bytes) })).status).toBe(202)
    const larger = new Uint8Array(bytes.length + 1)
    larger.set(bytes)
    const { status, json } = await emulator.call('POST', '/statements/extract', { body: form(larger) })
    expect([status, json.error.code]).toEqual([413, 'payload_too_large'])
  })
})
