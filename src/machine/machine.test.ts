import { expect, test } from 'vitest'
import { environmentVariables } from '../cli/help/topics.ts'
import { withoutSecrets } from './machine.ts'

test('every variable of ours that holds a secret is left out, in any case; the others stay', () => {
  const ours = environmentVariables.flatMap(({ name }) => name.split(', '))
  const env = Object.fromEntries([...ours, 'PATH', 'bankapi_api_key'].map((name) => [name, 'x']))
  const left = Object.keys(withoutSecrets(env))
  expect(Object.keys(env).filter((name) => !left.includes(name))).toEqual([
    'BANKAPI_API_KEY',
    'BANKAPI_PORTAL_SECRET',
    'BANKAPI_WEBHOOK_SECRET',
    'bankapi_api_key',
  ])
})
