import type { Key } from 'ink'
import { expect, test } from 'vitest'
import { keysOf } from './key-names.ts'

const none = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
} satisfies Key

test('characters that came at once are keys one by one, Enter and Tab among them', () => {
  expect(keysOf('kk\r\t\u007f\u0003', none)).toEqual(['k', 'k', 'enter', 'tab', 'backspace', 'interrupt'])
})

test.each([
  ['up', { upArrow: true }],
  ['page-down', { pageDown: true }],
  ['tab', { tab: true }],
  ['back-tab', { tab: true, shift: true }],
  ['enter', { return: true }],
  ['escape', { escape: true }],
  ['backspace', { delete: true }],
] as const)('%s', (name, key) => {
  expect(keysOf('', { ...none, ...key })).toEqual([name])
})

test('Ctrl-C interrupts; other Ctrl and Alt combinations are no letters', () => {
  expect(keysOf('c', { ...none, ctrl: true })).toEqual(['interrupt'])
  expect(keysOf('r', { ...none, ctrl: true })).toEqual([])
  expect(keysOf('q', { ...none, meta: true })).toEqual([])
})
