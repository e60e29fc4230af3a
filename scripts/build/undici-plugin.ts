/**
 * undici without what a request over HTTP/1 does not reach: its HTTP/2 half, which brings node:http2 and node:tls;
 * node:assert, which brings a way to print differences; and node:http, of which it wants a class to compare with and a
 * number. All are loaded where they are used; nothing is left out.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'

/** In which file, what stands there, and what takes its place. */
const edits: readonly (readonly [file: RegExp, from: string, to: string])[] = [
  [
    /dispatcher[\\/]client\.js$/,
    "const connectH2 = require('./client-h2.js')",
    "const connectH2 = (...socket) => require('./client-h2.js')(...socket)",
  ],
  [/core[\\/]util\.js$/, "const { IncomingMessage } = require('node:http')\n", '\n'],
  [/core[\\/]util\.js$/, '=== IncomingMessage)', "=== require('node:http').IncomingMessage)"],
  [/dispatcher[\\/]client\.js$/, "const http = require('node:http')\n", '\n'],
  [
    /dispatcher[\\/]client\.js$/,
    `const getDefaultNodeMaxHeaderSize = http &&
  http.maxHeaderSize &&
  Number.isInteger(http.maxHeaderSize) &&
  http.maxHeaderSize > 0
  ? () => http.maxHeaderSize
  : () => { throw new InvalidArgumentError('http module not available or http.maxHeaderSize invalid') }`,
    "const getDefaultNodeMaxHeaderSize = () => require('node:http').maxHeaderSize",
  ],
]

const assertion = "const assert = require('node:assert')"
const lateAssertion = "const assert = (...claim) => { if (!claim[0]) require('node:assert')(...claim) }"

/** @throws when a file is not what it was: the edit has to be looked at again. */
function edited(path: string, source: string): string {
  // It is called and nothing else; should that change, it stays as it is.
  let text = source.includes('assert.') ? source : source.replace(assertion, lateAssertion)
  for (const [file, from, to] of edits) {
    if (!file.test(path)) continue
    if (!text.includes(from)) throw new Error(`${path} is not what scripts/build/undici-plugin.ts expects`)
    text = text.replace(from, to)
  }
  return text
}

export const undiciPlugin: Plugin = {
  name: 'undici',
  setup(build) {
    const { absWorkingDir: root = '.' } = build.initialOptions
    const whole = join(root, 'src/api/whole-undici.ts')
    build.onResolve({ filter: /^undici$/ }, ({ importer }) =>
      importer.startsWith(join(root, 'src')) && importer !== whole
        ? { path: join(root, 'scripts/build/undici.ts') }
        : undefined,
    )
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/].*\.js$/ }, async ({ path }) => ({
      contents: edited(path, await readFile(path, 'utf8')),
      loader: 'js',
    }))
  },
}
