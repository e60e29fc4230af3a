import { expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'

const env = {
  BANKAPI_ENV: 'sandbox',
  BANKAPI_BASE_URL: 'http://127.0.0.1:1/v3',
  BANKAPI_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef01234567',
}

it.each([
  [['connections', 'refresh', 'con_FDE_1', '--left', ''], '--left'],
  [['connections', 'reauthorize', 'con_FDE_1', '--to', '', '--yes'], '--to'],
  [['statements', 'download', 'stmt_FDE_1', '-O', ''], '--output-file'],
  [['checks', 'download', '--to', ''], '--to'],
  [['webhooks', 'listen', '--write-env', ''], '--write-env'],
  [['webhooks', 'verify', '--body', ''], '--body'],
  [['sync', '--files', ''], '--files'],
  [['sync', '--to', ''], '--to'],
  [['api', 'GET', '/clients', '--input', ''], '--input'],
  [['accounts', 'list', '--all-clients', '--institution', ''], '--institution'],
  [['connections', 'triage', '--client', ''], '--client'],
])('%j: an empty name of a file or id is refused before any request (exit 2)', async (args, flag) => {
  const { code, stderr } = await createHome({ env }).run([...args, '--json'])
  expect(code, stderr).toBe(2)
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'empty_value', message: `${flag} is empty` })
})
