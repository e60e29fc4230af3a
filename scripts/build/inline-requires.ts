/**
 * Makes CommonJS packages evaluate a required module at its first use instead of at their start, with the transform that
 * Metro (React Native's bundler) publishes for this. ES modules do not need it: esbuild leaves out what is not imported.
 */
import { readFile } from 'node:fs/promises'
import { transformAsync } from '@babel/core'
import type { Plugin } from 'esbuild'
import inlineRequiresTransform from 'metro-transform-plugins/private/inline-requires-plugin'

export const inlineRequires: Plugin = {
  name: 'inline-requires',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node_modules[\\/].*\.c?js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8')
      if (!/\brequire\(/.test(source) || /^(?:import|export)\b/m.test(source)) return undefined
      const transformed = await transformAsync(source, {
        filename: path,
        configFile: false,
        babelrc: false,
        compact: false,
        sourceType: 'script',
        plugins: [[inlineRequiresTransform, { memoizeCalls: true }]],
      })
      return { contents: transformed?.code ?? source, loader: 'js' }
    })
  },
}
