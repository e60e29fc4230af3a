/** Makes vitest run the tests in a random order that a seed repeats. */
import { randomInt } from 'node:crypto'

export interface TestOrder {
  /** Arguments for vitest: files and tests in the order of the seed. */
  readonly args: readonly string[]
  /** A line with the command that repeats the order. */
  readonly hint: string
}

const option = '--sequence.seed='

/** A random order, or that of a `--sequence.seed=N` among the arguments. */
export function shuffled(args: readonly string[], newSeed = () => randomInt(1, 1_000_000)): TestOrder {
  const given = args.findLast((arg) => arg.startsWith(option))
  const seed = given?.slice(option.length) ?? String(newSeed())
  const others = args.filter((arg) => !arg.startsWith(option))
  const repeat = [...others, `${option}${seed}`].join(' ')
  return {
    args: [...others, '--sequence.shuffle.files', '--sequence.shuffle.tests', `${option}${seed}`],
    hint: `seed ${seed}: npm test -- ${repeat} repeats this order`,
  }
}
