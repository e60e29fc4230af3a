/** Reads settings.json, and gets and sets values in its tree by dotted name. */
import { existsSync, renameSync } from 'node:fs'
import type { Machine } from '../machine/machine.ts'
import { readPrivateFile } from '../machine/private-file.ts'

/** The content of settings.json: nested objects, keys in snake_case. Keys we do not know are kept. */
export type SettingsTree = { [key: string]: unknown }

/** Reads settings.json. Returns 'corrupt' when it is not a JSON object; an empty tree when there is no file. */
export function readTree(machine: Machine, path: string): SettingsTree | 'corrupt' {
  const text = readPrivateFile(machine, path)
  if (text === undefined) return {}
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isTree(value) ? value : 'corrupt'
  } catch {
    return 'corrupt'
  }
}

/** Renames a file to `<path>.corrupt-<time>` and returns the new path. Never overwrites an earlier one. */
export function moveAside(machine: Machine, path: string): string {
  const time = new Date(machine.now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  let aside = `${path}.corrupt-${time}`
  for (let count = 2; existsSync(aside); count += 1) aside = `${path}.corrupt-${time}-${count}`
  renameSync(path, aside)
  return aside
}

/** The value at a dotted name; undefined when there is none. */
export function getAt(tree: SettingsTree, name: string): unknown {
  let value: unknown = tree
  for (const step of name.split('.')) {
    if (!isTree(value) || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}

/** A copy of the tree with a value at a dotted name; what stood in the way is replaced. */
export function setAt(tree: SettingsTree, name: string, value: string | boolean): SettingsTree {
  return replaceAt(tree, name.split('.'), value)
}

function replaceAt(
  tree: SettingsTree,
  [step = '', ...rest]: string[],
  value: string | boolean,
): SettingsTree {
  if (rest.length === 0) return { ...tree, [step]: value }
  const below = Object.hasOwn(tree, step) ? tree[step] : undefined
  return { ...tree, [step]: replaceAt(isTree(below) ? below : {}, rest, value) }
}

/** A copy of the tree without a dotted name, and without the objects that this leaves empty. */
export function removeAt(tree: SettingsTree, name: string): SettingsTree {
  return without(tree, name.split('.'))
}

function without(tree: SettingsTree, [step = '', ...rest]: string[]): SettingsTree {
  const { [step]: below, ...others } = tree
  if (rest.length === 0 || !isTree(below)) return others
  const remaining = without(below, rest)
  return Object.keys(remaining).length === 0 ? others : { ...tree, [step]: remaining }
}

/** A value of the tree. `isNested` unless a key on the way to it has a dot: `getAt` then finds nothing, or another value. */
interface Entry {
  readonly name: string
  readonly value: unknown
  readonly isNested: boolean
}

/** Every value with its dotted name; an object at the name of a setting is one, which is invalid. */
export function entriesIn(
  tree: SettingsTree,
  isSetting: (name: string) => boolean,
  above = { prefix: '', isNested: true },
): Entry[] {
  return Object.entries(tree).flatMap(([step, value]) => {
    const name = `${above.prefix}${step}`
    const isNested = above.isNested && !step.includes('.')
    return isTree(value) && !isSetting(name)
      ? entriesIn(value, isSetting, { prefix: `${name}.`, isNested })
      : [{ name, value, isNested }]
  })
}

export function isTree(value: unknown): value is SettingsTree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
