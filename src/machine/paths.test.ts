import { expect, test } from 'vitest'
import { testMachine } from '../../test/support/machine.ts'
import { configDir, dataDir } from './paths.ts'

const linux = { homedir: '/home/ada', platform: 'linux' }

test.each([
  ['nothing set', {}, '/home/ada/.config/bankapi', '/home/ada/.local/share/bankapi'],
  ['XDG folders', { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/bankapi', '/d/bankapi'],
  [
    'our own variables before XDG',
    {
      BANKAPI_CONFIG_DIR: '/mine/c',
      BANKAPI_DATA_DIR: '/mine/d',
      XDG_CONFIG_HOME: '/c',
      XDG_DATA_HOME: '/d',
    },
    '/mine/c',
    '/mine/d',
  ],
  [
    'empty variables count as not set',
    { BANKAPI_CONFIG_DIR: '', BANKAPI_DATA_DIR: ' ', XDG_CONFIG_HOME: '' },
    '/home/ada/.config/bankapi',
    '/home/ada/.local/share/bankapi',
  ],
  [
    'a relative XDG path is ignored, as its specification says',
    { XDG_CONFIG_HOME: 'c', XDG_DATA_HOME: './d' },
    '/home/ada/.config/bankapi',
    '/home/ada/.local/share/bankapi',
  ],
])('Linux, %s', (_, env, config, data) => {
  const machine = testMachine(env, linux)
  expect([configDir(machine), dataDir(machine)]).toEqual([config, data])
})

test('macOS keeps them in Library', () => {
  const machine = testMachine({}, { homedir: '/Users/ada', platform: 'darwin' })
  expect(configDir(machine)).toBe('/Users/ada/Library/Preferences/bankapi')
  expect(dataDir(machine)).toBe('/Users/ada/Library/Application Support/bankapi')
})

test('Windows keeps them in AppData', () => {
  const env = { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' }
  const machine = testMachine(env, { homedir: 'C:\\Users\\ada', platform: 'win32' })
  expect(configDir(machine)).toBe('C:\\Users\\ada\\AppData\\Roaming\\bankapi')
  expect(dataDir(machine)).toBe('C:\\Users\\ada\\AppData\\Local\\bankapi')
})
