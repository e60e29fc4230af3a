import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder, testMachine } from '../../test/support/machine.ts'
import { type EnvironmentName, environmentsWith, type Mode } from '../config/environments.ts'
import { BoundAddresses } from './bound-addresses.ts'

const account = 'live/api-key'
const bank = 'https://api.example.com/v3'
const elsewhere = 'http://127.0.0.1:8080/v3'

/** One of the three, whose mode is its name. */
const named = (mode: Mode) => ({ name: mode, mode })
const profiles = [
  { name: 'acme', mode: 'sandbox' },
  { name: 'globex', mode: 'sandbox' },
  { name: 'initech', mode: 'live' },
] as const
const environments = environmentsWith(profiles)

function setUp(settings: Partial<Record<EnvironmentName, string>> = {}) {
  const folder = temporaryFolder()
  const machine = testMachine({ BANKAPI_CONFIG_DIR: folder })
  const addresses = new BoundAddresses({
    machine,
    environments,
    configured: (environment) => settings[environment],
    onWarning: () => {},
  })
  return { addresses, path: join(folder, 'addresses.json') }
}

const use = (baseUrl: string) => ({ environment: 'live', account, baseUrl }) as const

test('a secret goes to the address it was stored for, and to no other', async () => {
  const { addresses, path } = setUp({ live: elsewhere })
  await addresses.bind(account, bank)
  expect(await addresses.assertBound(use(bank))).toBe(bank)
  await expect(addresses.assertBound(use(elsewhere))).rejects.toMatchObject({
    code: 'other_address',
    exit: 'usage',
    sentence: expect.stringContaining(bank),
    hint: expect.stringMatching(/BANKAPI_BASE_URL.*BANKAPI_API_KEY.*bankapi login --env live --base-url/),
  })
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ [account]: bank })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a secret of an earlier version is bound to the address in the settings, whatever the one in use is', async () => {
  const settings = { live: bank }
  const { addresses } = setUp(settings)
  await expect(addresses.assertBound(use(elsewhere))).rejects.toMatchObject({ code: 'other_address' })
  expect(await addresses.assertBound(use(bank))).toBe(bank)
  settings.live = elsewhere
  await expect(addresses.assertBound(use(elsewhere))).rejects.toMatchObject({ code: 'other_address' })
})

test('without an address in the settings it is not bound to the one in use', async () => {
  const { addresses, path } = setUp()
  await expect(addresses.assertBound(use(elsewhere))).rejects.toMatchObject({
    code: 'other_address',
    sentence: expect.stringContaining('was stored without an address'),
  })
  expect(() => statSync(path)).toThrow()
})

test('where nothing can be written, the address in the settings counts all the same', async () => {
  const file = join(temporaryFolder(), 'a-file')
  writeFileSync(file, '')
  const machine = testMachine({ BANKAPI_CONFIG_DIR: join(file, 'below') })
  const addresses = new BoundAddresses({ machine, environments, configured: () => bank, onWarning: () => {} })
  expect(await addresses.assertBound(use(bank))).toBe(bank)
  await expect(addresses.assertBound(use(elsewhere))).rejects.toMatchObject({ code: 'other_address' })
})

test('a damaged file binds nothing anew; storing a key again repairs it', async () => {
  const { addresses, path } = setUp({ live: elsewhere })
  await addresses.bind(account, bank)
  writeFileSync(path, '{"live/api-key":')
  await expect(addresses.assertBound(use(elsewhere))).rejects.toMatchObject({
    code: 'unreadable',
    hint: expect.stringContaining('bankapi login'),
  })
  await addresses.bind(account, bank)
  expect(await addresses.assertBound(use(bank))).toBe(bank)
})

test('another name of this machine is another address', async () => {
  const { addresses } = setUp()
  await addresses.bind(account, 'http://127.0.0.1:8080/v3')
  for (const name of ['[::1]', 'localhost', '127.0.0.2']) {
    const other = use(`http://${name}:8080/v3`)
    await expect(addresses.assertBound(other)).rejects.toMatchObject({ code: 'other_address' })
  }
})

test('sandbox and live share no address, neither in the settings nor of stored keys', async () => {
  const { addresses, path } = setUp({ sandbox: bank })
  const shared = expect.objectContaining({ code: 'shared_address', exit: 'usage' })
  expect(() => addresses.assertOwn(named('live'), bank)).toThrow(shared)
  expect(() => addresses.assertOwn(named('sandbox'), bank)).not.toThrow()
  expect(() => addresses.assertOwn(named('local'), bank)).not.toThrow()
  const { addresses: other } = setUp({ live: elsewhere })
  expect(() => other.assertOwn(named('local'), elsewhere)).not.toThrow()
  for (const name of ['api-key', 'portal-secret']) {
    await addresses.bind(`live/${name}`, elsewhere)
    expect(() => addresses.assertOwn(named('sandbox'), elsewhere)).toThrow(shared)
    rmSync(path)
    expect(() => addresses.assertOwn(named('sandbox'), elsewhere)).not.toThrow()
  }
})

test('profiles of one mode may share an address, and no profile has that of the other mode', async () => {
  const { addresses } = setUp({ acme: bank, live: elsewhere })
  const [acme, globex, initech] = profiles
  for (const one of [acme, globex, named('sandbox')])
    expect(() => addresses.assertOwn(one, bank)).not.toThrow()
  for (const one of [initech, named('live')]) {
    expect(() => addresses.assertOwn(one, bank)).toThrow(
      expect.objectContaining({
        code: 'shared_address',
        sentence: expect.stringContaining('address of acme'),
      }),
    )
  }
  expect(() => addresses.assertOwn(globex, elsewhere)).toThrow(
    expect.objectContaining({ code: 'shared_address' }),
  )
  await addresses.bind('initech/api-key', 'https://other.example.com/v3')
  expect(() => addresses.assertOwn(acme, 'https://other.example.com/v3')).toThrow(
    expect.objectContaining({ code: 'shared_address' }),
  )
})

test('logout forgets the addresses of its environment', async () => {
  const { addresses, path } = setUp()
  await addresses.bind(account, bank)
  await addresses.bind('sandbox/api-key', elsewhere)
  await addresses.forget('live')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ 'sandbox/api-key': elsewhere })
})
