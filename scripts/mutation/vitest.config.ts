/** The tests of one module, as `npm run mutation` runs them for each mutant. */
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import everyTest from '../../vitest.config.ts'

const include = process.env['BANKAPI_MUTATION_TESTS']?.split(',') ?? []

/** Runs the files in the order in which the module lists them, fast ones first: nothing runs after a test that failed. */
class AsListed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number =>
      include.findIndex((pattern) => moduleId.includes(pattern.replace('**/*.test.ts', '')))
    return files.toSorted((one, other) => place(one) - place(other))
  }
}

export default defineConfig({
  test: {
    ...everyTest.test,
    include,
    // A setting that the types of a configuration file do not know.
    ...({ tagsFilter: ['!slow', '!postgres'] } as object),
    // Each mutant has a thread of its own as it is: starting one for each file of tests takes longer than most tests.
    isolate: process.env['BANKAPI_MUTATION_ISOLATE'] === 'yes',
    sequence: { sequencer: AsListed },
    // What a mutant costs that makes a test wait for ever.
    testTimeout: 15_000,
    hookTimeout: 15_000,
    expect: { poll: { timeout: 5000 } },
  },
})
