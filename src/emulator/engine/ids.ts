/**
 * Ids and secrets, each a hash of its kind and a count in the store. Ids follow from the seed and can be repeated; secrets
 * from what nobody can guess, unless a seed was asked for.
 */
import { createHash } from 'node:crypto'
import { createRandom, type Random, seedFrom } from '../catalog/random.ts'

export interface Ids {
  /** `length` lower-case hexadecimal digits, at most 64. */
  hex(kind: string, length: number): string
  uuid(kind: string): string
  /** As `hex`, for what opens something: keys, signing secrets, the tokens of links. */
  secret(kind: string, length: number): string
  /** The next of a series of numbers, from 1. */
  number(kind: string): number
  /** A sequence of its own for one occasion. */
  random(kind: string): Random
  /** The same sequence whenever it is asked for under this name. */
  randomFor(name: string): Random
}

/** A random secret; or the seed, when one was asked for. Keys, signing secrets and tokens are derived from it. */
export type RootSecret = string | number

/** `count` gives the next number of a series and never the same twice. */
export function createIds(seed: number, root: RootSecret, count: (series: string) => number): Ids {
  const hex = (kind: string, length: number) => derived(seed, kind, count(kind)).slice(0, length)
  return {
    hex,
    uuid: (kind) => asUuid(hex(kind, 32)),
    secret: (kind, length) => derived(root, kind, count(kind)).slice(0, length),
    number: count,
    random: (kind) => createRandom(seedFrom(seed, kind, count(kind))),
    randomFor: (name) => createRandom(seedFrom(seed, name)),
  }
}

/** 64 hexadecimal digits that follow from the root alone, so that they are the same at every start. */
export function derived(root: RootSecret, ...names: readonly (string | number)[]): string {
  return createHash('sha256')
    .update(JSON.stringify([root, ...names]))
    .digest('hex')
}

/** In the form of a UUID v4. */
function asUuid(digits: string): string {
  const variant = '89ab'[Number.parseInt(digits.charAt(16), 16) % 4]
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `${variant}${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-')
}
