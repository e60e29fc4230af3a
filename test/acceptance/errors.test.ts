import { expect, it } from 'vitest'
import { emulatorHome } from '../support/emulator-process.ts'

const home = emulatorHome(['--refresh-timeout', '3s'])

/** A Connection of an institution, linked, and the Client it belongs to. */
async function linked(institution: string): Promise<string> {
  const client = await home.json<{ id: string }>(['clients', 'create'])
  const initiated = await home.json<{ result: { connection: { id: string } } }>([
    ...['connections', 'initiate', '--client', client.id, '--institution', institution, '--wait'],
  ])
  const { id } = initiated.result.connection
  await home.json(['emulator', 'link', id])
  const { data } = await home.json<{ data: { id: string }[] }>(['connections', 'list', '--client', client.id])
  return data[0]?.id ?? ''
}

it('a key that lacks a scope: the error names both and a command that adds the scope', async () => {
  const scopes = ['--scopes', 'read:clients,read:api-keys,write:api-keys']
  const { secret, prefix } = await home.json<{ secret: string; prefix: string }>([
    'keys',
    'create',
    ...scopes,
  ])
  const env = { BANKAPI_API_KEY: secret }
  const { code, stderr } = await home.run(['accounts', 'list'], { env })
  expect(code).toBe(4)
  expect(stderr).toContain(`Error: The key ${prefix}… lacks read:accounts (insufficient_scope)`)
  expect(stderr).toMatch(/^Trace id: \S+$/m)
  const command = /Add it: bankapi (.*)$/m.exec(stderr)?.[1]?.split(' ') ?? []
  expect((await home.run([...command, '--yes'], { env })).code).toBe(0)
  expect((await home.run(['accounts', 'list'], { env })).code).toBe(0)
})

it('a refresh that partly failed: a table of the accounts that did not report', async () => {
  const connection = await linked('ins_b_partial')
  const { code, stderr } = await home.run(['connections', 'refresh', connection, '--wait'])
  expect(code).toBe(9)
  expect(stderr).toMatch(/^Error: \w+ accounts? of con_AGGREGATOR_B_\w+ did not report/m)
  expect(stderr).toMatch(/^ACCOUNT +CODE +MESSAGE$/m)
  expect(stderr).toMatch(/^acc_AGGREGATOR_B_\w+ +\w+ /m)
})

it.each([
  ['ins_fde_mfa', 'mfa_required', /bankapi connections reauthorize con_FDE_\w+/],
  ['ins_fde_refused', 'source_internal_error', /give support FDE-\S+ and the trace id/],
  ['ins_fde_desktop', 'desktop_app_required', /Open the desktop app/],
  ['ins_fde_choice', 'desktop_app_route_choice', /Choose in the desktop app/],
  ['ins_a_silent', 'refresh_timed_out', /bankapi connections refresh con_AGGREGATOR_A_\w+ --wait/],
])('%s: %s says what to do next, with the id', async (institution, code, next) => {
  const connection = await linked(institution)
  const { stderr } = await home.run(['connections', 'refresh', connection, '--wait'])
  expect(stderr).toContain(`(${code})`)
  expect(stderr).toMatch(next)
})
