import { expect, test } from 'vitest'
import { testMachine } from '../../test/support/machine.ts'
import type { BankapiError } from '../errors.ts'
import type { EmulatorState } from './emulator-state.ts'
import { type Profile, resolveBaseUrl, resolveClientId, resolveEnvironment } from './environments.ts'

const settings = (values: Record<string, string>, profiles: readonly Profile[] = []) => ({
  get: (name: string) => values[name],
  profiles,
})
const prefersEmulator = () => false
const environment = (name: 'local' | 'sandbox' | 'live') => ({ name, mode: name })
const none = settings({})
const stopped = () => ({ running: undefined, ignored: undefined })
const running = () => ({
  running: {
    pid: 1,
    started_at: '2026-01-02T03:04:05Z',
    sandbox: { base_url: 'http://127.0.0.1:4010/v3', api_key: 'sk_test_demo', portal_secret: 'p' },
    live: { base_url: 'http://127.0.0.1:4011/v3', api_key: 'sk_live_demo', portal_secret: 'q' },
    control_url: 'http://127.0.0.1:4010/_emulator/',
  },
  ignored: undefined,
})

test('the environment: --env, then BANKAPI_ENV, then the setting, then sandbox', () => {
  const machine = testMachine({ BANKAPI_ENV: 'live' })
  const configured = settings({ default_environment: 'local' })
  expect(resolveEnvironment({ machine, settings: configured, prefersEmulator, flag: 'sandbox' })).toEqual({
    value: 'sandbox',
    mode: 'sandbox',
    source: 'flag',
  })
  expect(resolveEnvironment({ machine, settings: configured, prefersEmulator })).toEqual({
    value: 'live',
    mode: 'live',
    source: 'environment',
  })
  expect(resolveEnvironment({ machine: testMachine(), settings: configured, prefersEmulator })).toEqual({
    value: 'local',
    mode: 'local',
    source: 'setting',
  })
  expect(
    resolveEnvironment({ machine: testMachine({ BANKAPI_ENV: '' }), settings: none, prefersEmulator }),
  ).toEqual({
    value: 'sandbox',
    mode: 'sandbox',
    source: 'default',
  })
})

test('a profile is chosen by name, with the mode that it has; the three keep theirs', () => {
  const profiles = [
    { name: 'acme', mode: 'live' },
    { name: 'globex', mode: 'sandbox' },
  ] as const
  const choose = (flag: string | undefined, env: Record<string, string> = {}, values = {}) =>
    resolveEnvironment({
      machine: testMachine(env),
      settings: settings(values, profiles),
      flag,
      prefersEmulator,
    })
  expect(choose('acme')).toEqual({ value: 'acme', mode: 'live', source: 'flag' })
  expect(choose(undefined, { BANKAPI_ENV: 'globex' })).toMatchObject({ mode: 'sandbox' })
  expect(choose(undefined, {}, { default_environment: 'acme' })).toMatchObject({ mode: 'live' })
  for (const name of ['local', 'sandbox', 'live']) expect(choose(name).mode).toBe(name)
  expect(() => choose('acne')).toThrow(/none of local, sandbox, live, acme, globex\. Did you mean acme\?/)
})

test('local where nothing says which environment is meant and the emulator is preferred, else sandbox', () => {
  const choose = (prefers: boolean, flag?: string) =>
    resolveEnvironment({ machine: testMachine(), settings: none, flag, prefersEmulator: () => prefers })
  expect(choose(true)).toEqual({ value: 'local', mode: 'local', source: 'emulator' })
  expect(choose(false)).toEqual({ value: 'sandbox', mode: 'sandbox', source: 'default' })
  expect(choose(true, 'live')).toEqual({ value: 'live', mode: 'live', source: 'flag' })
})

test('an unknown environment names those there are, and the one that was meant', () => {
  expect(() =>
    resolveEnvironment({ machine: testMachine(), settings: none, prefersEmulator, flag: 'sandbx' }),
  ).toThrow(/given by --env is none of local, sandbox, live\. Did you mean sandbox\?/)
  expect(() =>
    resolveEnvironment({ machine: testMachine({ BANKAPI_ENV: 'prod' }), settings: none, prefersEmulator }),
  ).toThrow(
    expect.objectContaining({ code: 'unknown_environment', message: expect.stringContaining('BANKAPI_ENV') }),
  )
})

test('the base URL: --base-url, then BANKAPI_BASE_URL, then the setting of this environment', () => {
  const machine = testMachine({ BANKAPI_BASE_URL: 'https://variable.example/v3/' })
  const configured = settings({
    'environments.sandbox.base_url': 'https://setting.example/v3',
    'environments.live.base_url': 'https://live.example/v3',
  })
  const emulator = running
  expect(
    resolveBaseUrl(environment('sandbox'), {
      machine,
      settings: configured,
      flag: 'https://flag.example/v3/',
      emulator,
    }),
  ).toEqual({ value: 'https://flag.example/v3', source: 'flag' })
  expect(resolveBaseUrl(environment('sandbox'), { machine, settings: configured, emulator })).toEqual({
    value: 'https://variable.example/v3',
    source: 'environment',
  })
  expect(
    resolveBaseUrl(environment('sandbox'), { machine: testMachine(), settings: configured, emulator }),
  ).toEqual({
    value: 'https://setting.example/v3',
    source: 'setting',
  })
})

test('local: the running emulator has left its address', () => {
  expect(
    resolveBaseUrl(environment('local'), { machine: testMachine(), settings: none, emulator: running }),
  ).toEqual({
    value: 'http://127.0.0.1:4010/v3',
    source: 'emulator',
  })
})

test('local without an emulator says how to start one, and why a file that is there does not count', () => {
  const ignored = () => ({ running: undefined, ignored: 'It was killed.' })
  expect(() =>
    resolveBaseUrl(environment('local'), { machine: testMachine(), settings: none, emulator: stopped }),
  ).toThrow(
    expect.objectContaining({
      code: 'emulator_not_running',
      hint: expect.stringContaining('bankapi emulator start'),
    }),
  )
  expect(() =>
    resolveBaseUrl(environment('local'), { machine: testMachine(), settings: none, emulator: ignored }),
  ).toThrow(/It was killed/)
})

test.each(['sandbox', 'live'] as const)(
  '%s has no address built in: the error says how to set one',
  (name) => {
    expect(() =>
      resolveBaseUrl(environment(name), { machine: testMachine(), settings: none, emulator: running }),
    ).toThrow(
      expect.objectContaining({
        code: 'base_url_missing',
        hint: expect.stringMatching(
          new RegExp(`bankapi config set environments.${name}.base_url .*BANKAPI_BASE_URL`),
        ),
      }),
    )
  },
)

test('the hint names the emulator that runs, and how to start one where none does', () => {
  const hint = (emulator: () => EmulatorState) => {
    try {
      resolveBaseUrl(environment('sandbox'), { machine: testMachine(), settings: none, emulator })
    } catch (error) {
      return (error as BankapiError).hint
    }
    return undefined
  }
  const untrusted = () => {
    throw new Error('others can change its file')
  }
  expect(hint(running)).toMatch(/the emulator that runs on this machine: --env local$/)
  expect(hint(stopped)).toMatch(/bankapi emulator start, then --env local$/)
  expect(hint(untrusted)).toMatch(/bankapi emulator start, then --env local$/)
})

test('an address is checked wherever it came from', () => {
  const bad = 'http://api.example.com/v3'
  const from = (env: Record<string, string>, values: Record<string, string>, flag?: string) => () =>
    resolveBaseUrl(environment('live'), {
      machine: testMachine(env),
      settings: settings(values),
      emulator: stopped,
      flag,
    })
  expect(from({}, {}, bad)).toThrow(/in --base-url is not https/)
  expect(from({ BANKAPI_BASE_URL: bad }, {})).toThrow(/in BANKAPI_BASE_URL is not https/)
  expect(from({}, { 'environments.live.base_url': bad })).toThrow(
    /in environments.live.base_url is not https/,
  )
})

test('the client: --client, then BANKAPI_CLIENT_ID, then the setting, then none', () => {
  const machine = testMachine({ BANKAPI_CLIENT_ID: 'cli_variable' })
  const configured = settings({ 'environments.live.client_id': 'cli_setting' })
  expect(resolveClientId('live', { machine, settings: configured, flag: 'cli_flag' })?.value).toBe('cli_flag')
  expect(resolveClientId('live', { machine, settings: configured })?.value).toBe('cli_variable')
  expect(resolveClientId('live', { machine: testMachine(), settings: configured })?.value).toBe('cli_setting')
  expect(resolveClientId('sandbox', { machine: testMachine(), settings: configured })).toBeUndefined()
})
