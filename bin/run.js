#!/usr/bin/env node
// Entry point: checks the version of Node, then loads dist/main.cjs. An old Node has to be able to parse this file, so that
// the user reads a sentence instead of a SyntaxError: no static imports, no top-level await, nothing newer than ES2018
// besides import.meta.

/** @param {string} message */
function leave(message, code = 1) {
  process.stderr.write(`${message}\n`)
  process.exit(code)
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

function watchStreams() {
  watch(process.stdout, 'stdout')
  watch(process.stderr, 'stderr')
}

function leaveQuietly() {
  // A command that has to clean up (a listener removes its subscription) handles SIGPIPE and exits by itself.
  if (process.listenerCount('SIGPIPE') > 0) process.emit('SIGPIPE')
  else process.exit(0)
}

/**
 * Keeps the compile cache beside the user's other caches, 0700. Whoever can write it decides what runs, as Node and V8 take
 * its bytecode as it is: one that others can write is not used.
 */
function enableCompileCache() {
  const { chmodSync, mkdirSync } = process.getBuiltinModule('node:fs')
  const path = process.getBuiltinModule('node:path')
  const { enableCompileCache, getCompileCacheDir } = process.getBuiltinModule('node:module')
  // With NODE_COMPILE_CACHE Node has begun to use it already, and nothing stops it.
  const used = getCompileCacheDir()
  if (used !== undefined) {
    const fault = faultOf(used, 0o022) || faultOf(path.dirname(used), 0o022)
    if (fault !== undefined) {
      leave(
        `Error: NODE_COMPILE_CACHE is not safe to use: ${fault}\nTry: choose a folder that only you can write`,
        2,
      )
    }
    return
  }
  const own = path.join(cacheHome(path), 'bankapi')
  const folder = path.join(own, 'compile')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (_) {
    // A home that cannot be written has no cache, which costs time only; a file in the way is found below.
  }
  // In a sticky folder, such as /tmp, nobody replaces what is another's.
  const outside = faultOf(path.dirname(own), 0o002)
  const fault = outside || faultOf(own, 0o022) || faultOf(folder, 0o022) || faultIn(folder)
  if (fault !== undefined) {
    const hint =
      outside === undefined
        ? `Remove it: rm -r '${own}'`
        : 'Set XDG_CACHE_HOME to a folder that only you can write.'
    process.stderr.write(`Warning: the compile cache is not used: ${fault} ${hint}\n`)
    return
  }
  enableCompileCache(folder)
  const made = getCompileCacheDir()
  // Node made it, under the umask.
  if (made !== undefined) chmodSync(made, 0o700)
}

/** @param {typeof import('node:path')} path */
function cacheHome(path) {
  return (
    process.env['XDG_CACHE_HOME'] ||
    (process.platform === 'win32' && process.env['LOCALAPPDATA']) ||
    path.join(
      process.getBuiltinModule('node:os').homedir(),
      process.platform === 'darwin' ? 'Library/Caches' : '.cache',
    )
  )
}

/**
 * Why a folder is not safe, as a sentence; undefined when it is, or is not there.
 * @param {string} folder
 * @param {number} refused Bits of the mode; a folder with the sticky bit may have them.
 */
function faultOf(folder, refused) {
  const { lstatSync, statSync } = process.getBuiltinModule('node:fs')
  const user = process.geteuid === undefined ? undefined : process.geteuid()
  if (user === undefined) return undefined
  const itself = lstatSync(folder, { throwIfNoEntry: false })
  if (itself === undefined) return undefined
  const target = itself.isSymbolicLink() ? statSync(folder, { throwIfNoEntry: false }) : itself
  if (target === undefined) return undefined
  for (const { uid } of [itself, target]) {
    if (uid !== user && uid !== 0) return `${folder} belongs to another user.`
  }
  const open = (target.mode & refused) !== 0 && (target.mode & 0o1000) === 0
  return open ? `${folder} can be written by other users.` : undefined
}

/**
 * As faultOf, of the folders that Node made in this one.
 * @param {string} folder
 */
function faultIn(folder) {
  const { readdirSync } = process.getBuiltinModule('node:fs')
  const path = process.getBuiltinModule('node:path')
  try {
    for (const name of readdirSync(folder)) {
      const fault = faultOf(path.join(folder, name), 0o022)
      if (fault !== undefined) return fault
    }
  } catch (_) {
    // Not there, or not readable: Node does not use it either.
  }
  return undefined
}

/**
 * Builds a clone in which nothing has been built yet: its first command does.
 * @param {URL} root
 */
function build(root) {
  const { existsSync } = process.getBuiltinModule('node:fs')
  const { fileURLToPath } = process.getBuiltinModule('node:url')
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const script = new URL('scripts/build.ts', root)
  const folder = fileURLToPath(root)
  if (!existsSync(script)) leave(`bankapi is not whole: ${folder}dist is missing. Install it again.`)
  process.stderr.write('bankapi is not built yet: building it, once.\n')
  // stdout is for the result of the command.
  const { status } = spawnSync(process.execPath, [fileURLToPath(script)], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0)
    leave(`It could not be built. Try: npm ci --prefix '${folder}' && npm run build --prefix '${folder}'`)
}

async function start() {
  const entry = new URL('../dist/main.cjs', import.meta.url)
  if (!process.getBuiltinModule('node:fs').existsSync(entry)) {
    build(new URL('..', import.meta.url))
  }
  const { main, builtFiles } = process.getBuiltinModule('node:module').createRequire(entry)('./main.cjs')
  const root = new URL('..', import.meta.url)
  // Help and the version load too little to need a cache, and the version is written without a stream.
  const files = builtFiles(root, { beforeStreams: watchStreams, beforeBundle: enableCompileCache })
  await main(process.argv.slice(2), files)
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
