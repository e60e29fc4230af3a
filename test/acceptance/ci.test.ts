/** Runs the console blocks of docs/in-ci.md and compares their output. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'
import { emulatorShell } from '../support/emulator-shell.ts'
import { createShell, type Shell } from '../support/shell.ts'
import { openTerminal } from '../support/terminal.ts'

const emulator = emulatorShell(['--refresh-duration', '300ms'])
const page = fileURLToPath(new URL('../../docs/in-ci.md', import.meta.url))

/** A shell as on a build server: a key in the environment, and no keychain. */
function ciShell(): Shell {
  const { base_url, api_key } = emulator.home.sandbox
  return createShell(
    createHome({
      env: {
        CI: 'true',
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
        BANKAPI_ENV: 'sandbox',
        BANKAPI_BASE_URL: base_url,
        BANKAPI_API_KEY: api_key,
        BANKAPI_CLIENT_ID: 'cli_demo',
      },
    }),
  )
}

/** To update the page: BANKAPI_DOCS_WRITE=1 npm run test:only test/acceptance/ci.test.ts */
it('docs/in-ci.md shows the real output', async () => {
  const shell = ciShell()
  const text = readFileSync(page, 'utf8')
  let run = ''
  for (const part of text.split(/(?<=^```console\n)([\s\S]*?)(?=^```$)/m)) {
    const commands = [...part.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => line)
    const isBlock = part.startsWith('$ ') && commands.length > 0
    run += isBlock ? (await shell.transcript(...commands)).slice(1) : part
  }
  if (process.env['BANKAPI_DOCS_WRITE'] === '1') writeFileSync(page, run)
  else expect(run).toBe(text)
})

it('CI never prompts, even on a terminal: nothing is done (exit 2)', async () => {
  const { code, screen } = await openTerminal(ciShell(), 'bankapi connections delete con_FDE_123').ended
  expect(code).toBe(2)
  expect(screen).toContain('--yes')
  expect(await emulator.text('bankapi connections get con_FDE_123 --jq .status')).toBe('active')
})

it('only the inbox is written to disk, and no secret', async () => {
  const shell = ciShell()
  await shell.run('bankapi connections list && bankapi connections refresh con_FDE_123 --wait')
  const { stdout } = await shell.run('grep -rl sk_test_ "$HOME" || find "$HOME" -name "credentials*"')
  expect(stdout).toBe('')
})

it('a command that needs a keychain says so, and names the alternatives (exit 3)', async () => {
  const { code, stderr } = await ciShell().run('bankapi webhooks create --url https://example.com/hooks')
  expect(code).toBe(3)
  expect(stderr).toMatch(/BANKAPI_API_KEY|--print-secret/)
})
