import { randomInt } from 'node:crypto'

export interface TestOrder {
  /** For vitest: files and tests in the order of the seed. */
  readonly args: readonly string[]
  /** How to have the same order again. */
  readonly told: string
}

const option = '--sequence.seed='

/** A random order of the tests, or the order of a `--sequence.seed=N` among the arguments. */
export function shuffled(args: readonly string[], newSeed = () => randomInt(1, 1_000_000)): TestOrder {
  const given = args.findLast((arg) => arg.startsWith(option))
  const seed = given?.slice(option.length) ?? String(newSeed())
  const others = args.filter((arg) => !arg.startsWith(option))
  const repeat = [...others, `${option}${seed}`].join(' ')
  return {
    args: [...others, '--sequence.shuffle.files', '--sequence.shuffle.tests', `${option}${seed}`],
    told: `seed ${seed}: npm test -- ${repeat} repeats this order`,
  }
}
