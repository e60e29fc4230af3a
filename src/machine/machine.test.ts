import { expect, test } from 'vitest'
import { environmentVariables } from '../cli/help/topics.ts'
import { machineOf, withoutSecrets } from './machine.ts'

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

test.each([
  ['EPERM', true],
  ['ESRCH', false],
])('a process that cannot be signalled with %s runs: %s', (code, isAlive) => {
  const kill = () => {
    throw Object.assign(new Error(code), { code })
  }
  expect(machineOf({ ...process, kill } as NodeJS.Process).isAlive(1)).toBe(isAlive)
})
