/** Ids that look random and can be repeated: each is a hash of the seed, its kind and a count in the store. */
import { createHash } from 'node:crypto'
import { createRandom, type Random, seedFrom } from '../catalog/random.ts'

export interface Ids {
  /** `length` lower-case hexadecimal digits, at most 64. */
  hex(kind: string, length: number): string
  uuid(kind: string): string
  /** The next of a series of numbers, from 1. */
  number(kind: string): number
  /** A sequence of its own for one occasion. */
  random(kind: string): Random
  /** The same sequence whenever it is asked for under this name. */
  randomFor(name: string): Random
}

/** `count` gives the next number of a series and never the same twice. */
export function createIds(seed: number, count: (series: string) => number): Ids {
  const hex = (kind: string, length: number) => derived(seed, kind, count(kind)).slice(0, length)
  return {
    hex,
    uuid: (kind) => asUuid(hex(kind, 32)),
    number: count,
    random: (kind) => createRandom(seedFrom(seed, kind, count(kind))),
    randomFor: (name) => createRandom(seedFrom(seed, name)),
  }
}

/** 64 hexadecimal digits that follow from the seed alone: secrets and keys that are the same at every start. */
export function derived(seed: number, ...names: readonly (string | number)[]): string {
  return createHash('sha256')
    .update(JSON.stringify([seed, ...names]))
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
