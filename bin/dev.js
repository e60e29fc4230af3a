#!/usr/bin/env node
// The same program without a build: Node strips the types of src/ as it loads it. Slower to start, because
// oclif reads every command instead of the manifest.
import { readFile } from 'node:fs/promises'
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

// Node strips types but does not compile JSX; esbuild does it for the few .tsx files.
registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context)
    const { source } = nextLoad(url, { ...context, format: 'module' })
    const { transformSync } = createRequire(import.meta.url)('esbuild')
    const { code } = transformSync(String(source), {
      loader: 'tsx',
      jsx: 'automatic',
      sourcemap: 'inline',
      sourcefile: fileURLToPath(url),
    })
    return { format: 'module', source: code, shortCircuit: true }
  },
})

process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error
  process.exit(0)
})

// oclif is told where the sources are, below; it need not look for them itself.
Object.assign(globalThis, { oclif: { enableAutoTranspile: false } })

const pjson = JSON.parse(await readFile(`${root}/package.json`, 'utf8'))
pjson.oclif.commands.target = './src/commands'
pjson.oclif.helpClass = './src/cli/help.ts'
pjson.oclif.hooks = { command_not_found: './src/cli/hooks/command-not-found.ts' }

// main(argv, rootUrl, loadOptions?): the third argument is given here only, and goes to oclif's run() in
// place of rootUrl.
const { main } = await import(new URL('../src/cli/main.ts', import.meta.url).href)
await main(process.argv.slice(2), import.meta.url, { root, pjson, ignoreManifest: true })
