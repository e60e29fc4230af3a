/**
 * undici without what a request over HTTP/1 never reaches: its HTTP/2 half, which brings node:http2 and node:tls, and
 * node:assert, which brings a way to print differences. Both are loaded where they are used; nothing is left out.
 */
import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

const assertion = `const assert = require('node:assert')`
const lateAssertion = `const assert = (...claim) => { if (!claim[0]) require('node:assert')(...claim) }`
const http2 = `const connectH2 = require('./client-h2.js')`
const lateHttp2 = `const connectH2 = (...socket) => require('./client-h2.js')(...socket)`

export const undiciPlugin: Plugin = {
  name: 'undici',
  setup(build) {
    build.onLoad({ filter: /[\\/]undici[\\/]lib[\\/].*\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      // It is called and nothing else; should that change, it stays as it is.
      const plain = source.includes('assert.') ? source : source.replace(assertion, lateAssertion)
      if (!/[\\/]dispatcher[\\/]client\.js$/.test(path)) return { contents: plain, loader: 'js' }
      if (!plain.includes(http2)) throw new Error(`${path} loads HTTP/2 in another way now`)
      return { contents: plain.replace(http2, lateHttp2), loader: 'js' }
    })
  },
}
