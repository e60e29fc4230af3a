/**
 * `npm run bench NAME [-- options]`: measures the built command and prints numbers, each with a comparison from the same
 * run or with its limit. A missed goal sets the exit code.
 *
 * A bench is a file in bench/ that runs when it is imported, and reads its options from `process.argv.slice(3)`.
 */
const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  startup: () => import('./bench/startup.ts'),
  list: () => import('./bench/list.ts'),
  listen: () => import('./bench/listen.ts'),
  emulator: () => import('./bench/emulator.ts'),
  sync: () => import('./bench/sync.ts'),
  memory: () => import('./bench/memory.ts'),
  bulk: () => import('./bench/bulk.ts'),
}

const [name = ''] = process.argv.slice(2)
const load = benches[name]
if (load === undefined) {
  process.stderr.write(`Which bench? ${Object.keys(benches).join(', ')}\n`)
  process.exitCode = 2
} else {
  await load()
}
