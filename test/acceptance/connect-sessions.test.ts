import { expect, it } from 'vitest'
import { envelope, json, serve } from '../api/servers.ts'
import { emulatorShell } from '../support/emulator-shell.ts'

const emulator = emulatorShell()
const create = 'bankapi connect-sessions create'

it('a link is created for a Client, opened, and deleted', async () => {
  const { sid, url } = JSON.parse(await emulator.text(`${create} --json`))
  expect((await fetch(url)).headers.get('content-type')).toContain('text/html')
  expect(await emulator.transcript(`bankapi connect-sessions delete ${sid}`)).toMatchInlineSnapshot(`
    "
    $ bankapi connect-sessions delete cs_…
    2> Error: Not done: Kill this link of cli_demo? Whoever has it open can no longer use it. (confirmation_missing)
    2> Try: Without a terminal to ask on, confirm with --yes
    [exit 2]
    "
  `)
  expect((await fetch(url)).ok).toBe(true)
  expect(await emulator.transcript(`bankapi connect-sessions delete ${sid} --yes`)).toMatchInlineSnapshot(`
    "
    $ bankapi connect-sessions delete cs_… --yes
    The link no longer works.
    "
  `)
  expect((await fetch(url)).ok).toBe(false)
})

it('the same --idempotency-key returns the same link, with a note; another body is a conflict (exit 6)', async () => {
  const first = await emulator.run(`${create} --idempotency-key order-7 --jq .sid`)
  const again = await emulator.run(`${create} --idempotency-key order-7 --jq .sid`)
  expect(again).toMatchObject({ code: 0, stdout: first.stdout })
  expect(again.stderr).toContain('the same link again')
  expect((await emulator.run(`${create} --jq .sid`)).stdout).not.toBe(first.stdout)

  const other = await emulator.text('bankapi clients create --jq .id')
  const conflict = await emulator.run(`${create} --client ${other} --idempotency-key order-7 --json`)
  expect(conflict.code).toBe(6)
  expect(JSON.parse(conflict.stderr).error.code).toBe('idempotency_conflict')
})

it('a replayed failure is said to be one, with how to make a new request', async () => {
  const { baseUrl } = await serve((_, response, number) =>
    json(response, 503, envelope('internal_error'), number === 1 ? {} : { 'Idempotent-Replayed': 'true' }),
  )
  const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: baseUrl, BANKAPI_API_KEY: 'sk_test_ab12cdef' }
  const own = await emulator.run(create, { env })
  expect([own.code, own.stderr]).toEqual([11, expect.not.stringContaining('the same link again')])
  expect(own.stderr).toMatch(/Run the command again: it takes a new idempotency key/)
  const given = await emulator.run(`${create} --idempotency-key order-8`, { env })
  expect([given.code, given.stderr]).toEqual([11, expect.not.stringContaining('the same link again')])
  expect(given.stderr).toMatch(/another --idempotency-key/)
})

it('an Idempotency-Key that cannot be sent is refused before a request (exit 2)', async () => {
  const long = 'k'.repeat(256)
  expect((await emulator.run(`${create} --idempotency-key ${long}`)).code).toBe(2)
  expect((await emulator.run(`${create} --idempotency-key ''`)).code).toBe(2)
})

it('a redirect URL has to be on the allowlist (exit 7)', async () => {
  const { code, stderr } = await emulator.run(`${create} --redirect-url https://app.example.com/done --json`)
  expect(code).toBe(7)
  expect(JSON.parse(stderr).error.service_message).toMatch(/allowlist/)
})
