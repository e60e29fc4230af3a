/**
 * The executable: Node and the program in one file (`npm run executable`). `process.execPath` is that file, and the files of
 * the program are in a file system that Node mounts for the main thread.
 */

export function isExecutable(): boolean {
  return process.getBuiltinModule('node:sea').isSea()
}

/** The arguments for `process.execPath` that start this program again; those of a command follow. */
export function programArguments(): string[] {
  return isExecutable() ? [] : [...process.execArgv, process.argv[1] ?? '']
}
