import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { createShell } from '../support/shell.ts'

const emulator = emulatorShell()

it('settings are set, shown, listed and unset, without an environment or a key', async () => {
  const { transcript } = createShell(createHome())
  expect(
    await transcript(
      'bankapi config list',
      'bankapi config set default_environment local',
      'bankapi config get default_environment',
      'bankapi config set environments.sandbox.base_url https://api.example.com/v3',
      'bankapi config list',
      'bankapi config unset default_environment',
      'bankapi config get default_environment',
      'bankapi config set default_environment production',
      'bankapi config set environments.sandbox.base_url http://api.example.com/v3',
      'bankapi config set enviroments.sandbox.base_url https://api.example.com/v3',
      'bankapi config path --json',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi config list
    2> Nothing is set. What there is: bankapi config list --all
    $ bankapi config set default_environment local
    default_environment:	local
    $ bankapi config get default_environment
    local
    $ bankapi config set environments.sandbox.base_url https://api.example.com/v3
    environments.sandbox.base_url:	https://api.example.com/v3
    $ bankapi config list
    default_environment:	local
    environments.sandbox.base_url:	https://api.example.com/v3
    $ bankapi config unset default_environment
    default_environment is no longer set.
    $ bankapi config get default_environment
    2> Error: default_environment is not set (not_set)
    2> Try: bankapi config set default_environment …
    [exit 2]
    $ bankapi config set default_environment production
    2> Error: The value of default_environment must be one of local, sandbox, live. (invalid_setting)
    2> Try: Set it: bankapi config set default_environment …
    [exit 2]
    $ bankapi config set environments.sandbox.base_url http://api.example.com/v3
    2> Error: The value of environments.sandbox.base_url is not https, and its host is not this machine. (invalid_setting)
    2> Try: Set it: bankapi config set environments.sandbox.base_url …
    [exit 2]
    $ bankapi config set enviroments.sandbox.base_url https://api.example.com/v3
    2> Error: There is no setting "enviroments.sandbox.base_url". Did you mean environments.sandbox.base_url? (unknown_setting)
    2> Try: Settings: default_environment, environments.<env>.base_url, environments.<env>.client_id, environments.<profile>.mode, environments.<env>.<setting>, endpoints.<area>.<name>, upload.encoding, inbox.at, inbox.customer, inbox.keep, inbox.max_size, sync.to, pager, output.max_rows, output.utc
    [exit 2]
    $ bankapi config path --json
    {
      "settings": "~/config/settings.json",
      "data": "~/data"
    }
    "
  `)
})

it('only what is assumed can be moved: a documented operation is refused at once, and when a file has it, where it is called', async () => {
  const home = createHome()
  const shell = createShell(home)
  expect(
    await shell.transcript(
      "bankapi config set endpoints.accounts.get 'GET /account/{account_id}'",
      "bankapi config set endpoints.helth.check 'GET /up'",
      'bankapi config list',
    ),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi config set endpoints.accounts.get 'GET /account/{account_id}'
    2> Error: endpoints.accounts.get cannot be set: the reference shows its method and path, GET /accounts/{account_id}. (invalid_setting)
    2> Try: Endpoints whose path the reference does not show: reports.generate, webhooks.get, webhooks.update, webhooks.delete, webhooks.rotateSecret, webhooks.test, keys.create, keys.list, keys.revoke, redirectUrls.get, health.check
    [exit 2]
    $ bankapi config set endpoints.helth.check 'GET /up'
    2> Error: There is no setting "endpoints.helth.check": no operation has this name. Did you mean endpoints.health.check? (unknown_setting)
    2> Try: Endpoints whose path the reference does not show: reports.generate, webhooks.get, webhooks.update, webhooks.delete, webhooks.rotateSecret, webhooks.test, keys.create, keys.list, keys.revoke, redirectUrls.get, health.check
    [exit 2]
    $ bankapi config list
    2> Nothing is set. What there is: bankapi config list --all
    "
  `)
  mkdirSync(join(home.folder, 'config'), { mode: 0o700 })
  const endpoints = { health: { check: '/up' } }
  writeFileSync(join(home.folder, 'config/settings.json'), JSON.stringify({ endpoints }), { mode: 0o600 })
  const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3', BANKAPI_API_KEY: '' }
  for (const line of ['config list', 'health', 'doctor']) {
    const { stdout, stderr } = await shell.run(`bankapi ${line}`, { env })
    expect(stdout + stderr, line).toMatch(/endpoints\.health\.check .*must be a method and a path/s)
  }
})

it('an endpoint in a dotted key is not in force, and config list says to write it as nested objects', async () => {
  const home = createHome()
  const shell = createShell(home)
  mkdirSync(join(home.folder, 'config'), { mode: 0o700 })
  const endpoints = { 'health.check': 'rubbish' }
  writeFileSync(join(home.folder, 'config/settings.json'), JSON.stringify({ endpoints }), { mode: 0o600 })
  expect(
    await shell.transcript('bankapi config list', 'bankapi config unset endpoints.health.check'),
  ).toMatchInlineSnapshot(`
    "
    $ bankapi config list
    2> Warning: "endpoints.health.check" in ~/config/settings.json is one key; write it as nested objects.
    2> Nothing is set. What there is: bankapi config list --all
    $ bankapi config unset endpoints.health.check
    endpoints.health.check was not set.
    "
  `)
  const env = { BANKAPI_ENV: 'sandbox', BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3', BANKAPI_API_KEY: '' }
  const { code, stderr } = await shell.run('bankapi health', { env })
  expect([code, stderr]).toEqual([11, expect.not.stringContaining('endpoints.')])
})

it('settings are used: the Client, times in UTC, and the pager', async () => {
  const env = { BANKAPI_CLIENT_ID: '', TZ: 'America/New_York', PAGER: '' }
  await emulator.text('bankapi config set environments.local.client_id cli_demo')
  const list = 'bankapi connections list --columns id,last_refreshed_at'
  const last = () => emulator.open(list, { env }).ended
  const local = await last()
  expect(local.code, local.screen).toBe(0)
  await emulator.text('bankapi config set output.utc true')
  const utc = await last()
  expect(utc.screen).not.toBe(local.screen)
  expect((await emulator.open(`${list} --utc`, { env }).ended).screen).toBe(utc.screen)
  await emulator.text("bankapi config set pager 'sed s/^/paged:/'")
  const { screen } = await emulator.open(list, { env: { BANKAPI_CLIENT_ID: 'cli_demo' }, rows: 4 }).ended
  expect(screen).toContain('paged:con_FDE_123')
})
