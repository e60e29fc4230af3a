// Writes the source files on the call stack whenever a request is sent or stdout is written. Loaded before bin/dev.js.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const file = process.env['TRACE_FILE'] ?? ''
Error.stackTraceLimit = 200

function noteStack() {
  const stack = new Error().stack ?? ''
  const paths = [
    ...stack.matchAll(/\((?:file:\/\/)?([^()]*?):\d+:\d+\)|at (?:async )?file:\/\/([^()\s]*?):\d+:\d+/g),
  ]
    .map(([, inBrackets, bare]) => inBrackets ?? bare ?? '')
    .filter((path) => path.startsWith(root))
    .map((path) => path.slice(root.length))
    .filter((path) => /^(?:bin|src)\//.test(path))
  // Outermost caller first.
  appendFileSync(file, `${JSON.stringify(paths.reverse())}\n`)
}

subscribe('undici:request:create', noteStack)
const write = process.stdout.write.bind(process.stdout)
process.stdout.write = /** @type {typeof process.stdout.write} */ (
  (/** @type {Parameters<typeof write>} */ ...args) => {
    noteStack()
    return write(...args)
  }
)
