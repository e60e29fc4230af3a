/** A misbehaving service: the documented exit code, a clear sentence, no hang, and no secret anywhere. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createHome, type Run } from '../support/cli.ts'
import { answers, type HostileServer, hostileServer } from '../support/hostile-server.ts'
import { createShell, type Shell } from '../support/shell.ts'
import { openTerminal } from '../support/terminal.ts'
import { until } from '../support/until.ts'

const key = 'sk_test_5ecre75ecre75ecre75ecre7'

function shellFor({ baseUrl }: Pick<HostileServer, 'baseUrl'>): Shell {
  const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: key }
  return createShell(createHome({ env: { ...env, BANKAPI_CLIENT_ID: 'cli_1' } }))
}

/** Checks what every failure has in common: an empty stdout, one JSON document at the end of stderr, and no key in either. */
function failure({ code, stdout, stderr }: Run) {
  expect(stdout + stderr).not.toContain(key)
  expect(stdout).toBe('')
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
  expect(error.message).toMatch(/^[A-Z"].{15,}/)
  expect(error.exit_code).toBe(code)
  return error
}

const row = { id: 'cli_1', created_at: '2026-01-01T00:00:00Z' }

it.each([
  ['500: a server error is not repeated blindly', answers.status(500, {}, 'oops'), 11, 'http_500', 1],
  [
    '503 every time: a GET is repeated, then given up',
    answers.status(503, { 'Retry-After': '0' }),
    11,
    'http_503',
    4,
  ],
  [
    '429 with Retry-After: waited for, then told',
    answers.status(429, { 'Retry-After': '0' }),
    8,
    'http_429',
    4,
  ],
  [
    '429 that asks for an hour is not waited for',
    answers.status(429, { 'Retry-After': '3600' }),
    8,
    'http_429',
    1,
  ],
  ['401 without an envelope is still a matter of the key', answers.status(401), 3, 'http_401', 1],
  ['HTML instead of JSON names the base URL as suspect', answers.html, 1, 'unreadable_response', 1],
  ['an empty body', answers.status(200), 1, 'unreadable_response', 1],
  ['JSON that is no list', answers.json({ data: 'all' }), 1, 'unreadable_response', 1],
  ['JSON that is no object', answers.json([row]), 1, 'unreadable_response', 1],
  ['a list that never says whether it has more', answers.json({ data: [row] }), 0, '', 1],
  ['a gzip bomb is not unpacked to its end', answers.gzipBomb, 1, 'unreadable_response', 1],
] as const)('%s', async (_, behave, code, name, requests) => {
  const server = await hostileServer(behave)
  const run = await shellFor(server).run('bankapi clients list --json')
  expect(run.code, run.stderr).toBe(code)
  expect(server.requests).toHaveLength(requests)
  if (code !== 0) expect(failure(run)).toMatchObject({ code: name, hint: expect.stringMatching(/\w/) })
})

it('Retry-After is honoured: the second request comes no sooner', async () => {
  const times: number[] = []
  const server = await hostileServer((response, request) => {
    times.push(Date.now())
    const behave =
      times.length === 1
        ? answers.status(429, { 'Retry-After': '1' })
        : answers.json({ data: [row], has_more: false })
    behave(response, request)
  })
  const { code, stderr } = await shellFor(server).run('bankapi clients list')
  expect(code).toBe(0)
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1000)
  expect(stderr).toContain('rate limited, trying again in 1 s')
})

it('a POST that may have been done is not sent twice', async () => {
  const server = await hostileServer(answers.status(503, { 'Retry-After': '0' }))
  const run = await shellFor(server).run('bankapi clients create --name Ada --json')
  expect([run.code, server.requests]).toEqual([11, ['POST /v3/clients']])
})

it('a redirect to another host is not followed, and the key does not go there (exit 1)', async () => {
  const elsewhere = await hostileServer(answers.json({ data: [] }))
  const server = await hostileServer(answers.status(302, { Location: `${elsewhere.baseUrl}/clients` }))
  const run = await shellFor(server).run('bankapi clients list --json')
  expect(failure(run).message).toContain(elsewhere.origin)
  expect([run.code, elsewhere.requests, server.credentials]).toEqual([1, [], [`Bearer ${key}`]])
})

it('a truncated body is requested again and then an error (exit 11); complete rows before it are written', async () => {
  const cut = answers.cut('application/json', '{"data":[{"id":"cli_2"')
  const server = await hostileServer((response, request) => {
    const first = !request.url?.includes('cursor=')
    const behave = first ? answers.json({ data: [row], next_cursor: 'c2', has_more: true }) : cut
    behave(response, request)
  })
  const { code, stdout, stderr } = await shellFor(server).run('bankapi clients list --all -o ndjson')
  expect([code, stdout]).toEqual([11, `${JSON.stringify(row)}\n`])
  expect(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.message).toMatch(/\w/)
})

it('a slow drip is interrupted by Ctrl-C at once (exit 130)', async () => {
  const server = await hostileServer(answers.drip)
  const shell = shellFor(server)
  const home = createHome({ env: { ...shell.env } })
  const running = home.start(['clients', 'list', '--json', '--debug'])
  await until(() => running.stderr().includes('<-- 200'), 'the head of the answer')
  const interrupted = Date.now()
  running.process.kill('SIGINT')
  expect((await running.ended).code).toBe(130)
  expect(Date.now() - interrupted).toBeLessThan(2000)
})

it('a list that comes back to a page it gave before ends the walk (exit 1)', async () => {
  const server = await hostileServer(answers.json({ data: [row], next_cursor: 'same', has_more: true }))
  const { code, stdout, stderr } = await shellFor(server).run('bankapi clients list --all -o ndjson')
  expect([code, stdout]).toEqual([1, `${JSON.stringify(row)}\n`])
  expect(stderr).toContain('comes back to a page')
  expect(server.requests.length).toBeLessThanOrEqual(3)
})

it.each(['', '--json', '-o yaml', '-o csv', '-o ndjson', '--jq .', '--all', '--all -o ndjson'])(
  'an answer nested 5,000 deep is unreadable, and no bug (clients list %s, exit 11)',
  async (format) => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    const body = `{"data":[{"id":"cli_1","deep":${deep}}],"has_more":false,"next_cursor":null}`
    const server = await hostileServer(answers.status(200, { 'Content-Type': 'application/json' }, body))
    const { code, stderr } = await shellFor(server).run(`bankapi clients list ${format}`)
    expect([code, stderr]).toEqual([11, expect.stringMatching(/clients\.list is nested 500\d levels deep/)])
  },
)

it.each(['--json', '-o yaml', '-o csv', '-o ndjson', '--jq .data[]', '--jq .data[].name', ''])(
  'half of a surrogate pair costs nothing else of a list (clients list %s)',
  async (format) => {
    const named = (id: string, name: string) =>
      `{"id":"${id}","created_at":"2026-01-01T00:00:00Z","name":"${name}"}`
    const body = `{"data":[${named('cli_1', 'x\\ud800x')},${named('cli_2', 'whole')}],"has_more":false,"next_cursor":null}`
    const server = await hostileServer(answers.status(200, { 'Content-Type': 'application/json' }, body))
    const { code, stdout } = await shellFor(server).run(`bankapi clients list ${format}`)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(format === '' ? /cli_1[\s\S]*cli_2/ : /x(\\ud800|\ufffd)x[\s\S]*whole/),
    ])
  },
)

describe('a list without end, whose cursors never repeat', () => {
  const endless = (rows: number) =>
    hostileServer((response, request) => {
      const at = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0)
      const data = Array.from({ length: rows }, (_, index) => ({ ...row, id: `cli_${at * rows + index}` }))
      answers.json({ data, next_cursor: String(at + 1), has_more: true })(response, request)
    })

  it.each([
    'clients list --all',
    'clients list --all --json',
    'clients list --all -o yaml',
    'clients list --all --jq ".data | length"',
    'api GET /clients --paginate',
  ])('%s: ends at output.max_rows (exit 2) and names the way to stream', async (line) => {
    const server = await endless(20)
    const shell = shellFor(server)
    await shell.run('bankapi config set output.max_rows 100')
    const { code, stdout, stderr } = await shell.run(`bankapi ${line}`)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/more than 100 rows[\s\S]*-o ndjson[\s\S]*config set output\.max_rows 1000/)
    expect(stderr).toContain('too_many_rows')
    expect(server.requests.length).toBeLessThanOrEqual(8)
  })

  it('of empty pages ends as well', async () => {
    const shell = shellFor(await endless(0))
    await shell.run('bankapi config set output.max_rows 10')
    expect(await shell.run('bankapi clients list --all')).toMatchObject({ code: 2, stdout: '' })
  })

  it('ends at 100,000 rows when nothing else is set', async () => {
    const server = await endless(5000)
    const { code, stderr } = await shellFor(server).run('bankapi clients list --all --json')
    expect([code, stderr]).toEqual([2, expect.stringContaining('more than 100000 rows')])
    expect(server.requests.length).toBeLessThanOrEqual(22)
  })

  it('streams as NDJSON for as long as its reader wants', async () => {
    const shell = shellFor(await endless(20))
    await shell.run('bankapi config set output.max_rows 10')
    const { stdout } = await shell.run('bankapi clients list --all -o ndjson | head -n 200 | wc -l')
    expect(stdout.trim()).toBe('200')
  })
})

it('a row that is repeated on a later page is shown once', async () => {
  const pages = [
    ['a', 'b'],
    ['b', 'c'],
    ['a', 'd'],
  ]
  const server = await hostileServer((response, request) => {
    const at = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0)
    const data = (pages[at] ?? []).map((name) => ({ ...row, id: `cli_${name}` }))
    answers.json({ data, next_cursor: String(at + 1), has_more: at < 2 })(response, request)
  })
  const { stdout } = await shellFor(server).run(
    'bankapi clients list --all --jq \'[.data[].id] | join(" ")\'',
  )
  expect(stdout).toBe('cli_a cli_b cli_c cli_d\n')
})

it('an error message cannot draw on the terminal, nor carry the key back', async () => {
  const message = `\u001b[2J\u001b]0;gotcha\u0007Bad \u202egnirts\u202c ${key}`
  const body = JSON.stringify({ error: { code: 'bad\u001b[31m', message, trace_id: 'tr\n\u009b1m' } })
  const server = await hostileServer(answers.status(400, { 'Content-Type': 'application/json' }, body))
  const { code, stderr } = await shellFor(server).run('bankapi clients list')
  expect(code).toBe(7)
  expect(stderr).not.toContain(key)
  expect(stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u)
})

describe('the key, repeated in every form in everything that an answer has', () => {
  const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]
  const repeated = forms.join(' ')
  const headers = {
    'Content-Type': `application/json; a="${repeated}"`,
    'X-LS-Trace-Id': repeated,
    'Retry-After': repeated,
    'Idempotent-Replayed': repeated,
  }
  const leaks = (text: string) =>
    forms.filter((form) => text.replaceAll(/\s/g, '').includes(form.slice(0, -4)))

  it.each([
    [
      'an error',
      answers.status(
        400,
        headers,
        JSON.stringify({
          error: {
            code: repeated,
            message: repeated,
            param: repeated,
            doc_url: repeated,
            trace_id: repeated,
            errors: [{ param: repeated, message: repeated }],
          },
        }),
      ),
    ],
    [
      'a warning',
      answers.status(200, headers, JSON.stringify({ data: [], has_more: repeated, next_cursor: 1 })),
    ],
    ['an answer that is not JSON', answers.status(200, headers, repeated)],
    [
      'a redirect',
      answers.status(302, {
        ...headers,
        Location: `https://${Buffer.from(key).toString('hex')}.example/${key}`,
      }),
    ],
    ['a redirect within the service', answers.status(302, { ...headers, Location: `/v3/${key}?a=${key}` })],
  ] as const)('%s: is in no line of stderr, not even with --debug', async (_, behave) => {
    const shell = shellFor(await hostileServer(behave))
    for (const more of ['', ' --json']) {
      const { stderr } = await shell.run(`bankapi clients list --debug${more}`)
      expect(stderr).toContain('<-- ')
      expect(leaks(stderr)).toEqual([])
    }
  })

  it('on a terminal, where long lines are wrapped', async () => {
    const body = JSON.stringify({ error: { code: 'bad', message: `${'x '.repeat(30)}${repeated}` } })
    const shell = shellFor(await hostileServer(answers.status(400, headers, body)))
    const { raw } = await openTerminal(shell, 'bankapi clients list --debug', { columns: 60 }).ended
    expect(raw).toContain('…')
    expect(leaks(raw)).toEqual([])
  })
})

it.each([
  ['HTML', answers.html],
  [
    'text that calls itself a PDF',
    answers.status(200, { 'Content-Type': 'application/pdf' }, 'not a pdf at all'),
  ],
  ['a cut file', answers.cut('application/pdf', '%PDF-1.7 half')],
  ['nothing', answers.status(200, { 'Content-Type': 'application/pdf' })],
])('a download that turns out to be %s leaves no file', async (_, behave) => {
  const shell = shellFor(await hostileServer(behave))
  const run = await shell.run('bankapi statements download stmt_FDE_1 --json')
  expect(run.code).not.toBe(0)
  failure(run)
  expect(readdirSync(shell.folder)).toEqual([])
})

it('a download stays in its folder, whatever the service calls the file', async () => {
  const headers = {
    'Content-Type': 'application/pdf',
    'Content-Disposition': 'attachment; filename="../../escaped.pdf"',
  }
  const shell = shellFor(await hostileServer(answers.status(200, headers, '%PDF-1.7 whole')))
  expect((await shell.run("bankapi statements download 'stmt_FDE_../../x'")).code).not.toBe(0)
  const { stdout } = await shell.run('bankapi statements download stmt_FDE_1 --jq .file')
  expect([stdout, readdirSync(shell.folder)]).toEqual(['stmt_FDE_1.pdf\n', ['stmt_FDE_1.pdf']])
})
