#!/usr/bin/env node
// Runs the program without a build: Node strips the types of src/ as it loads it, and the commands are found in src/.
import { readFileSync } from 'node:fs'
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

// Node strips the types, so oclif need not look for a transpiler.
Object.assign(globalThis, { oclif: { enableAutoTranspile: false } })

/** @type {import('../src/cli/built-files.ts').ProgramFiles} */
const files = {
  root: new URL('..', import.meta.url),
  commands: () => commandsIn(root, manifest),
  bundle: () => import('../src/cli/bundle.ts'),
  async helpPage(words) {
    const { helpPages } = await import('../scripts/build/help-pages.ts')
    const { subjects, render } = await helpPages(root)
    return subjects.some((subject) => subject.join() === words.join()) ? render(words) : undefined
  },
}

const manifest = JSON.parse(readFileSync(new URL('../oclif.manifest.json', import.meta.url), 'utf8'))
const { commandsIn } = await import('../scripts/build/commands.ts')
const { main } = await import('../src/cli/main.ts')
await main(process.argv.slice(2), files)
