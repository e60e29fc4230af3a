import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorHome } from '../support/emulator-process.ts'
import { until } from '../support/until.ts'

const home = emulatorHome(['--refresh-timeout', '2s'])

/** The error document that a failing command prints under `--json`. */
async function failure(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await home.run([...args, '--json'], { env })
  expect(stdout).toBe('')
  return { code, error: JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error }
}

describe('the exit code tells the kind of failure', () => {
  it('2: a placeholder id is refused with an explanation, without a request', async () => {
    const placeholder = 'con_1c9d4f0e-7a52-4b8f-9a1e-3c1f2d4b5a6c'
    for (const verb of ['get', 'refresh', 'delete', 'reauthorize']) {
      const { code, error } = await failure(['connections', verb, placeholder], {
        BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3',
      })
      expect([verb, code, error.code]).toEqual([verb, 2, 'placeholder_connection'])
      expect(error.hint).toContain('connection.active')
    }
  })

  it.each([
    ['an unknown flag', ['clients', 'list', '--nope']],
    ['a missing argument', ['connections', 'get']],
    ['a word that is no command', ['connections', 'lst']],
    ['an id of another kind', ['accounts', 'get', 'con_FDE_123', '--client', 'cli_demo']],
    ['a value that is no number', ['clients', 'list', '--limit', 'many']],
    ['a jq program with a mistake', ['clients', 'list', '--jq', '.data[']],
    ['an unknown column', ['clients', 'list', '--columns', 'nope']],
    ['an unknown environment', ['clients', 'list', '--env', 'production']],
    ['a confirmation that nobody can give', ['connections', 'delete', 'con_FDE_123']],
  ])('2: %s', async (_, args) => {
    expect((await home.run(args)).code).toBe(2)
  })

  it('3: the service does not know the key', async () => {
    expect(await failure(['clients', 'list'], { BANKAPI_API_KEY: 'sk_test_unknown' })).toMatchObject({
      code: 3,
      error: {
        code: 'unknown_api_key',
        http_status: 401,
        trace_id: expect.stringMatching(/\w/),
        exit_code: 3,
      },
    })
  })

  it('5: an unknown id, with the trace id for support', async () => {
    expect(await failure(['connections', 'get', 'con_FDE_999'])).toMatchObject({
      code: 5,
      error: { http_status: 404, trace_id: expect.stringMatching(/\w/) },
    })
  })

  it('7: a cursor of another query', async () => {
    expect(await failure(['clients', 'list', '--cursor', 'made-up'])).toMatchObject({
      code: 7,
      error: { code: 'invalid_request' },
    })
  })

  it('9: the operation failed, and why', async () => {
    const client = await home.json<{ id: string }>(['clients', 'create'])
    const initiated = await home.json<{ result: { connection: { id: string } } }>([
      ...['connections', 'initiate', '--client', client.id, '--institution', 'ins_fde_mfa', '--wait'],
    ])
    const linked = await home.json<{ connection_id: string }>([
      'emulator',
      'link',
      initiated.result.connection.id,
    ])
    expect(await failure(['connections', 'refresh', linked.connection_id, '--wait'])).toMatchObject({
      code: 9,
      error: { code: 'mfa_required', hint: expect.stringContaining('reauthorize') },
    })
  })

  it('10: still running when the time is up; the hint resumes waiting', async () => {
    const { code, error } = await failure([
      'connections',
      'refresh',
      'con_FDE_123',
      '--wait',
      '--timeout',
      '100ms',
    ])
    expect([code, error.code]).toEqual([10, 'still_running'])
    const [, ...resume] = error.hint.split(' ')
    expect((await home.run(resume)).code).toBe(0)
  })

  it('11: the address cannot be reached, reported within seconds', async () => {
    const started = Date.now()
    const { code, error } = await failure(['clients', 'list'], {
      BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3',
      BANKAPI_API_KEY: 'sk_test_1',
    })
    expect([code, error.code]).toEqual([11, 'unreachable'])
    expect(error.message).toContain('127.0.0.1:1')
    expect(error.hint).toMatch(/\w/)
    expect(Date.now() - started).toBeLessThan(15_000)
  })

  it('5: the emulator does not know the Connection to link', async () => {
    const { code, error } = await failure(['emulator', 'link', 'con_1c9d4f0e-7a52-4b8f-9a1e-3c1f2d4b5a6c'])
    expect([code, error.code]).toEqual([5, 'not_found'])
  })

  it('2: a period that ends before it begins', async () => {
    const period = ['--from', '2026-02-01', '--to', '2026-01-01']
    expect((await home.run(['transactions', 'list', 'acc_FDE_12301', ...period])).code).toBe(2)
  })

  it('11: no emulator runs', async () => {
    const { code, stderr } = await createHome().run(['clients', 'list', '--env', 'local'])
    expect(code).toBe(11)
    expect(stderr).toContain('bankapi emulator start')
  })

  it('11: the service answers 503 every time', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(503, { 'Retry-After': '0' }).end('<html>upstream down</html>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v3`
    const { code } = await home.run(['clients', 'list'], {
      env: { BANKAPI_BASE_URL: base, BANKAPI_API_KEY: 'sk_test_1' },
    })
    expect(code).toBe(11)
    server.close()
  })

  it('130: Ctrl-C leaves the operation running and says how to resume', async () => {
    const client = await home.json<{ id: string }>(['clients', 'create'])
    const initiated = await home.json<{ result: { connection: { id: string } } }>([
      ...['connections', 'initiate', '--client', client.id, '--institution', 'ins_a_silent', '--wait'],
    ])
    const { connection_id } = await home.json<{ connection_id: string }>([
      ...['emulator', 'link', initiated.result.connection.id],
    ])
    const refresh = home.start(['connections', 'refresh', connection_id, '--wait', '--json'])
    const noted = async () =>
      (await home.json<{ data: { subject: string }[] }>(['operations', 'list'])).data[0]?.subject
    await until(async () => (await noted()) === connection_id, 'the operation in the inbox')
    refresh.process.kill('SIGINT')
    const { code, stderr } = await refresh.ended
    expect(code).toBe(130)
    expect(JSON.parse(stderr).error.hint).toMatch(/bankapi operations wait op_\w+/)
  })
})

describe('stdout holds only data', () => {
  it('works in a pipe into jq', async () => {
    const { stdout } = await home.run(['connections', 'refresh', 'con_FDE_123', '--wait', '--json'])
    expect(JSON.parse(stdout).status).toBe('succeeded')
  })

  it('an empty list is a note on stderr and exit 0', async () => {
    const { code, stdout, stderr } = await home.run(['institutions', 'search', 'no such bank anywhere'])
    expect([code, stdout]).toEqual([0, ''])
    expect(stderr).toContain('no such bank anywhere')
  })

  it('a reader that leaves early is not an error', async () => {
    const listing = home.start(['transactions', 'list', 'acc_FDE_12301', '--all', '-o', 'ndjson'])
    await listing.line()
    listing.process.stdout.destroy()
    expect((await listing.ended).code).toBe(0)
    expect(listing.stderr()).toBe('')
  })
})
