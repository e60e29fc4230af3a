#!/usr/bin/env node
// Entry point: checks the version of Node, then loads dist/main.cjs. An old Node has to be able to parse this file, so that
// the user reads a sentence instead of a SyntaxError: no static imports, no top-level await, nothing newer than ES2018
// besides import.meta.

/** @param {string} message */
function leave(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/**
 * Ends the program when a standard stream cannot be written. A reader that went away (`bankapi … | head`) is not a failure.
 * Anything else, such as a full disk, is reported here: oclif's own handler would throw an exception that nobody catches.
 * @param {NodeJS.WriteStream} stream
 * @param {string} name
 */
function watch(stream, name) {
  stream.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
    if (error.code === 'EPIPE') leaveQuietly()
    else leave(`Error: ${name} cannot be written: ${error.message}`)
  })
}

function leaveQuietly() {
  // A command that has to clean up (a listener removes its subscription) handles SIGPIPE and exits by itself.
  if (process.listenerCount('SIGPIPE') > 0) process.emit('SIGPIPE')
  else process.exit(0)
}

/** Keeps the cache with the user's other caches: in the shared temporary folder, others could plant bytecode. */
function enableCompileCache() {
  const os = process.getBuiltinModule('node:os')
  const path = process.getBuiltinModule('node:path')
  const home =
    process.env['XDG_CACHE_HOME'] ||
    (process.platform === 'win32' && process.env['LOCALAPPDATA']) ||
    path.join(os.homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  process
    .getBuiltinModule('node:module')
    .enableCompileCache(process.env['NODE_COMPILE_CACHE'] || path.join(home, 'bankapi', 'compile'))
}

/** Prints the version without loading the program. */
function printVersion() {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`)
}

async function start() {
  watch(process.stdout, 'stdout')
  watch(process.stderr, 'stderr')
  const argv = process.argv.slice(2)
  if (argv[0] === '--version' || argv[0] === '-V') return printVersion()
  enableCompileCache()
  const entry = new URL('../dist/main.cjs', import.meta.url)
  if (!process.getBuiltinModule('node:fs').existsSync(entry)) {
    leave('bankapi is not built yet: run `npm run build` first.')
  }
  const { main } = process.getBuiltinModule('node:module').createRequire(entry)('./main.cjs')
  await main(argv, new URL('..', import.meta.url))
}

if (Number(process.versions.node.split('.')[0]) < 24) {
  leave(
    `bankapi needs Node.js 24 or newer; this is ${process.version}. ` +
      'Install it, or let the project bring it: npm install --save-dev node@24, then npx bankapi.',
  )
} else {
  start().catch((error) => {
    leave(`bankapi could not start: ${error.message}`)
  })
}
