/** What the README types, right after `bankapi emulator start`, where nothing is configured. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emulatorShell } from '../support/emulator-shell.ts'
import { keys } from '../support/terminal.ts'

const emulator = emulatorShell()
/** The variables of the test's home are not set. */
const env = { BANKAPI_ENV: '', BANKAPI_CLIENT_ID: '' }
const said = 'local: an emulator runs here, and nothing else is configured\n'

describe('with nothing configured and an emulator running', () => {
  it('bankapi connections refresh con_FDE_123 --wait', async () => {
    const { code, stdout, stderr } = await emulator.run('bankapi connections refresh con_FDE_123 --wait', {
      env,
    })
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('succeeded')
    expect(stderr.split(said)).toHaveLength(2)
  })

  it('bankapi webhooks listen --forward localhost:3000', async () => {
    const terminal = emulator.open('bankapi webhooks listen --forward localhost:3000 --port 0', {
      env,
      columns: 200,
    })
    await terminal.sees('Ready: ')
    await emulator.run('bankapi connections refresh con_FDE_123 --wait', { env })
    await terminal.sees(/[✓✗] account\.refresh\.completed /)
    terminal.type(keys.ctrlC)
    const { screen } = await terminal.ended
    expect(screen).toContain(said.trim())
  })

  it('bankapi keys rotate-scopes', async () => {
    const terminal = emulator.open('bankapi keys rotate-scopes', { env })
    await terminal.sees('read:clients')
    terminal.type(keys.enter)
    const { code, screen } = await terminal.ended
    expect(code, screen).toBe(0)
    expect(screen).toContain(said.trim())
    expect(screen).toContain('Nothing changes.')
  })

  it('also with a Client, a signing secret or a portal secret in the environment, which name no service', async () => {
    const more = {
      BANKAPI_CLIENT_ID: 'cli_demo',
      BANKAPI_WEBHOOK_SECRET: 'whsec_0123456789',
      BANKAPI_PORTAL_SECRET: '0123456789',
    }
    const { code, stdout } = await emulator.run('bankapi connections list -o csv | wc -l', {
      env: { ...env, ...more },
    })
    expect([code, stdout.trim()]).toEqual([0, '4'])
  })

  it('whoami says where the environment comes from', async () => {
    const { stdout } = await emulator.run('bankapi whoami --json', { env })
    expect(JSON.parse(stdout)).toMatchObject({
      environment: 'local',
      environment_source: 'emulator',
      mode: 'local',
    })
  })
})

describe('the environment stays sandbox', () => {
  const environmentOf = async (line: string, more: Record<string, string> = {}) => {
    const { stdout, stderr } = await emulator.run(line, { env: { ...env, ...more } })
    expect(stderr).not.toContain('an emulator runs here')
    return stdout + stderr
  }

  it.each([
    ['BANKAPI_BASE_URL', 'https://api.example.com/v3'],
    ['BANKAPI_API_KEY', 'sk_test_0123456789'],
  ])('with %s', async (name, value) => {
    expect(await environmentOf('bankapi operations list', { [name]: value })).toContain(
      'No operations of sandbox',
    )
  })

  it('with an address of any environment, or a profile', async () => {
    await emulator.text('bankapi config set environments.live.base_url https://api.example.com/v3')
    expect(await environmentOf('bankapi whoami --offline')).toContain('No address is known for sandbox')
    expect(await environmentOf('bankapi whoami --offline')).toContain('runs on this machine: --env local')
    await emulator.text('bankapi config unset environments.live.base_url')
    await emulator.text('bankapi config profile add acme --mode live')
    expect(await environmentOf('bankapi whoami --offline')).toContain('No address is known for sandbox')
  })

  it('with a key in the keychain, which is not asked: its address is noted beside it', async () => {
    const folder = join(emulator.home.folder, 'config')
    mkdirSync(folder, { mode: 0o700 })
    const addresses = JSON.stringify({ 'live/api-key': 'https://api.example.com/v3' })
    writeFileSync(join(folder, 'addresses.json'), addresses, { mode: 0o600 })
    expect(await environmentOf('bankapi whoami --offline')).toContain('No address is known for sandbox')
  })

  it('with --base-url, and for login, which would store a key that local does not need', async () => {
    const elsewhere = 'bankapi operations list --base-url https://api.example.com/v3'
    expect(await environmentOf(elsewhere)).toContain('No operations of sandbox')
    expect(await environmentOf('bankapi login --key-stdin')).toContain('No address is known for sandbox')
  })

  it('when the emulator has ended', async () => {
    const state = join(emulator.home.folder, 'data', 'emulator', 'running.json')
    writeFileSync(state, '{}', { mode: 0o600 })
    expect(await environmentOf('bankapi whoami --offline')).toContain('No address is known for sandbox')
  })
})
