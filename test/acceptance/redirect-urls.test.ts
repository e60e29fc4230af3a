import { describe, expect, it } from 'vitest'
import { envelope, json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()

it('set, add, remove and clear show the resulting allowlist first, as a POST replaces all of it', async () => {
  expect(
    await emulator.transcript(
      'bankapi redirect-urls set https://app.example.com/done --yes',
      'bankapi redirect-urls add https://app.example.com/again',
      'bankapi redirect-urls add https://app.example.com/again --yes --jq .allowed_redirect_urls',
      'bankapi redirect-urls remove https://app.example.com/done --yes',
      'bankapi redirect-urls remove https://app.example.com/done --yes',
      'bankapi redirect-urls get',
      'bankapi redirect-urls clear',
      'bankapi redirect-urls clear --yes',
      'bankapi redirect-urls get',
      'bankapi redirect-urls add https://app.example.com/first --yes',
      'bankapi redirect-urls add https://app.example.com/second --from-empty --yes',
      'bankapi redirect-urls set --yes',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi redirect-urls set https://app.example.com/done --yes
    https://app.example.com/done
    2> https://app.example.com/done
    $ bankapi redirect-urls add https://app.example.com/again
    2>   https://app.example.com/done
    2> + https://app.example.com/again
    2> Error: Not done: Replace the allowlist by this set? (confirmation_missing)
    2> Try: Without a terminal to ask on, confirm with --yes
    [exit 2]
    $ bankapi redirect-urls add https://app.example.com/again --yes --jq .allowed_redirect_urls
    ["https://app.example.com/done","https://app.example.com/again"]
    2>   https://app.example.com/done
    2> + https://app.example.com/again
    $ bankapi redirect-urls remove https://app.example.com/done --yes
    https://app.example.com/again
    2>   https://app.example.com/again
    2> - https://app.example.com/done
    $ bankapi redirect-urls remove https://app.example.com/done --yes
    2> Error: Not on the allowlist: https://app.example.com/done (not_on_allowlist)
    2> Try: See it: bankapi redirect-urls get
    [exit 2]
    $ bankapi redirect-urls get
    https://app.example.com/again
    $ bankapi redirect-urls clear
    2> Error: Not done: Remove the redirect allowlist of local? Initiates with a redirect URL fail then. (confirmation_missing)
    2> Try: Without a terminal to ask on, confirm with --yes
    [exit 2]
    $ bankapi redirect-urls clear --yes
    The redirect allowlist is gone.
    $ bankapi redirect-urls get
    The allowlist is empty: every redirect is denied.
    $ bankapi redirect-urls add https://app.example.com/first --yes
    https://app.example.com/first
    2> + https://app.example.com/first
    $ bankapi redirect-urls add https://app.example.com/second --from-empty --yes
    https://app.example.com/second
    2> + https://app.example.com/second
    $ bankapi redirect-urls set --yes
    The allowlist is empty: every redirect is denied.
    "
  `)
})

it('a URL that the service is certain to refuse is refused before a request (exit 2)', async () => {
  expect(
    await emulator.transcript(
      'bankapi redirect-urls add http://app.example.com/ --yes',
      'bankapi redirect-urls add https://user:secret@app.example.com/ --yes',
      'bankapi redirect-urls add nonsense --yes',
      'bankapi redirect-urls set $(seq -f https://app.example.com/%g 21) --yes',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi redirect-urls add http://app.example.com/ --yes
    2> Error: http://app.example.com/ must start with https:// (invalid_url)
    [exit 2]
    $ bankapi redirect-urls add https://user:secret@app.example.com/ --yes
    2> Error: https://…@app.example.com/ must not carry userinfo (invalid_url)
    [exit 2]
    $ bankapi redirect-urls add nonsense --yes
    2> Error: nonsense must start with https:// (invalid_url)
    [exit 2]
    $ bankapi redirect-urls set $(seq -f https://app.example.com/%g 21) --yes
    2> Error: That would be 21 URLs; the allowlist takes 20 (usage)
    [exit 2]
    "
  `)
})

it('on a terminal it asks before it replaces the allowlist', async () => {
  const terminal = emulator.open('bankapi redirect-urls set https://example.com/cb')
  await terminal.sees(/^https:\/\/example\.com\/cb/m)
  await terminal.sees('Replace the allowlist')
  terminal.type('y\r')
  expect((await terminal.ended).code).toBe(0)
  expect(await emulator.text('bankapi redirect-urls get --jq .allowed_redirect_urls')).toBe(
    '["https://example.com/cb"]',
  )
})

it('a bank can be linked with a URL that is on the allowlist', async () => {
  await emulator.text('bankapi redirect-urls set https://example.com/done --yes')
  const initiate = 'bankapi connections initiate --institution ins_a_ok --jq .status --redirect-url'
  expect(await emulator.text(`${initiate} https://example.com/done`)).toBe('queued')
  expect((await emulator.run(`${initiate} https://example.com/other`)).code).toBe(7)
})

describe('each POST overwrites the whole set, so nothing is sent while the current one is not known', () => {
  const url = 'https://app.example.com/new'

  async function service(status: number, body: object) {
    const { baseUrl, heard } = await serve(({ method, body: sent }, response) => {
      if (method === 'POST') json(response, 200, { environment: 'sandbox', ...JSON.parse(sent.toString()) })
      else json(response, status, body)
    })
    const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: 'sk_test_ab12cdef' }
    return {
      run: (line: string) => emulator.run(`bankapi redirect-urls ${line}`, { env }),
      asked: () => heard.map(({ method }) => method),
      sent: () =>
        heard.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body.toString())),
    }
  }

  it.each([
    [404, envelope('not_found'), 5],
    [405, {}, 5],
    [200, { environment: 'sandbox', redirect_urls: ['https://app.example.com/kept'] }, 1],
    [200, { environment: 'sandbox', allowed_redirect_urls: null }, 1],
    [200, [], 1],
    [400, envelope('invalid_request'), 7],
    [403, envelope('insufficient_scope'), 4],
    [410, {}, 7],
    [501, {}, 11],
  ])('an assumed read answered %i %j is unknown, not empty', async (status, body, exit) => {
    const { run, asked } = await service(status, body)
    for (const line of [`add ${url}`, `remove ${url}`]) {
      const { code, stderr } = await run(`${line} --yes`)
      expect(code).toBe(exit)
      expect(stderr).toContain('endpoints.redirectUrls.get')
      expect(stderr.includes('--from-empty')).toBe(line.startsWith('add'))
    }
    expect(asked()).toEqual(['GET', 'GET'])
  })

  it.each([
    [204, ''],
    [200, '<!doctype html><title>Welcome</title>'],
  ])('an assumed read answered %i with %j is unknown, not empty', async (status, text) => {
    const { baseUrl, heard } = await serve((_, response) =>
      response.writeHead(status, text === '' ? {} : { 'content-type': 'text/html' }).end(text),
    )
    const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: 'sk_test_ab12cdef' }
    const { code, stderr } = await emulator.run(`bankapi redirect-urls add ${url} --yes`, { env })
    expect([code, stderr]).toEqual([1, expect.stringContaining('(allowlist_unknown)')])
    expect(stderr).toContain('endpoints.redirectUrls.get')
    expect(stderr).toContain('--from-empty')
    expect(heard.map(({ method }) => method)).toEqual(['GET'])
  })

  it('a failure that may pass is told as what it is', async () => {
    const { run, asked } = await service(500, envelope('internal_error'))
    const { code, stderr } = await run(`add ${url} --yes`)
    expect([code, stderr]).toEqual([11, expect.not.stringContaining('allowlist_unknown')])
    expect(asked()).toEqual(['GET'])
  })

  it('--from-empty adds to an empty list without reading it', async () => {
    const { run, asked, sent } = await service(404, envelope('not_found'))
    expect((await run(`add ${url} --from-empty --yes`)).code).toBe(0)
    expect([asked(), sent()]).toEqual([['POST'], [{ allowed_redirect_urls: [url] }]])
  })

  it('an empty list that was answered is an empty list', async () => {
    const { run, sent } = await service(200, { environment: 'sandbox', allowed_redirect_urls: [] })
    expect((await run(`add ${url} --yes`)).code).toBe(0)
    expect(sent()).toEqual([{ allowed_redirect_urls: [url] }])
  })

  it('set reads nothing first: the documented POST works where the assumed read does not', async () => {
    const { run, asked, sent } = await service(405, {})
    const { code, stderr } = await run(`set ${url} --yes`)
    expect([code, stderr]).toEqual([0, `${url}\n`])
    expect([asked(), sent()]).toEqual([['POST'], [{ allowed_redirect_urls: [url] }]])
  })
})

it('a redirect to this machine is refused before a request, and what works instead is said', async () => {
  for (const line of [
    'redirect-urls add http://localhost:3000/done --yes',
    'redirect-urls set https://127.0.0.1/done --yes',
    'connections initiate --institution ins_a_ok --redirect-url http://localhost:3000/done',
    'connect-sessions create --redirect-url https://[::1]:3000/done',
  ]) {
    const { code, stdout, stderr } = await emulator.run(`bankapi ${line}`)
    expect([line, code, stdout]).toEqual([line, 2, ''])
    expect(stderr).toContain('(invalid_url)')
    expect(stderr).toContain('leave the redirect URL out')
    expect(stderr).toContain('a tunnel')
  }
})

it('a redirect that is not on the allowlist: the error names the commands that show and change it', async () => {
  const { code, stderr } = await emulator.run(
    'bankapi connections initiate --institution ins_a_ok --redirect-url https://app.example.com/other',
  )
  expect(code).toBe(7)
  expect(stderr).toContain('bankapi redirect-urls get')
  expect(stderr).toContain('bankapi redirect-urls add')
})
