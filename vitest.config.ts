import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.ts'],
    exclude: ['test/perf/**', 'test/arch/fixtures/**', 'node_modules/**', 'dist/**'],
    tags: [
      { name: 'slow', description: 'takes seconds; left out of `npm run mutation`' },
      { name: 'postgres', description: 'starts a PostgreSQL server; left out of `npm run mutation`' },
    ],
    pool: 'forks',
    // Most tests wait for programs that they start.
    maxWorkers: 3,
    // Acceptance tests spawn the built command and servers, on machines that may be slow.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
})
