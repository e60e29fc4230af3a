import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { testMachine } from '../../test/support/machine.ts'
import { resolveBaseUrl } from './environments.ts'
import { askRemoteEmulator, remoteEmulator } from './remote-emulator.ts'

const addressOf = (BANKAPI_EMULATOR: string) => remoteEmulator(testMachine({ BANKAPI_EMULATOR }))?.origin

test.each([
  ['http://emulator:4010', 'http://emulator:4010'],
  ['http://emulator:4010/', 'http://emulator:4010'],
  ['http://bank.ci.svc.cluster.local', 'http://bank.ci.svc.cluster.local'],
  ['http://172.18.0.2:4010', 'http://172.18.0.2:4010'],
  ['http://[fd00::2]:4010', 'http://[fd00::2]:4010'],
  ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
  ['https://emulator.example.com', 'https://emulator.example.com'],
])('an emulator at %s', (text, origin) => {
  expect(addressOf(text)).toBe(origin)
})

test.each([
  ['emulator', 'is not a URL'],
  ['emulator:4010', 'is neither https nor http'],
  ['ftp://emulator', 'is neither https nor http'],
  ['http://emulator.example.com', 'is not https'],
  ['http://93.184.216.34:4010', 'is not https'],
  ['http://169.254.169.254', 'is not https'],
  ['http://emulator:4010/v3', 'has more than'],
  ['http://ada:pw@emulator:4010', 'has more than'],
  ['http://emulator:4010/?key=1', 'has more than'],
])('%s is refused, and not repeated: %s', (text, reason) => {
  expect(() => addressOf(text)).toThrow(
    expect.objectContaining({
      code: 'emulator_address_invalid',
      exit: 'usage',
      message: expect.stringContaining(reason),
    }),
  )
  expect(() => addressOf(text)).not.toThrow(text)
})

test('it is the address of local, and of no other environment', () => {
  const machine = testMachine({ BANKAPI_EMULATOR: 'http://emulator:4010' })
  const settings = { get: () => undefined, profiles: [] }
  const emulator = () => ({ running: undefined, ignored: undefined })
  const base = (name: 'local' | 'sandbox', flag?: string) =>
    resolveBaseUrl({ name, mode: name }, { machine, settings, emulator, flag }).value
  expect(base('local')).toBe('http://emulator:4010/v3')
  expect(base('local', 'http://emulator:4011/v3')).toBe('http://emulator:4011/v3')
  expect(() => base('local', 'http://other:4010/v3')).toThrow(/is not https/)
  expect(() => base('sandbox')).toThrow(/No address is known/)
  expect(() => base('sandbox', 'http://emulator:4011/v3')).toThrow(/is not https/)
})

test.each([
  ['nothing listens', undefined, 'ECONNREFUSED'],
  ['what answers is something else', '<p>It works!</p>', 'no emulator|JSON'],
  ['its answer is not that of an emulator', '{"pid":1}', 'no emulator'],
])('%s: the error says so (exit 11)', async (_what, body, why) => {
  const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const closed = () => new Promise((resolve) => server.close(resolve))
  if (body === undefined) await closed()
  else onTestFinished(closed as () => Promise<void>)
  await expect(askRemoteEmulator(url, 0)).rejects.toMatchObject({
    code: 'emulator_not_running',
    exit: 'unreachable',
    message: expect.stringMatching(why),
  })
})
