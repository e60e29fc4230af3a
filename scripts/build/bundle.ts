/** Bundles src/ into dist/ with esbuild: the program, and the modules that other programs import. */
import { glob, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import type { BuiltProgram } from '../../src/cli/built-files.ts'
import type { Commands } from '../../src/cli/command-line.ts'
import { bundledPackages, licensesOf } from './bundled-packages.ts'
import { inlineRequires } from './inline-requires.ts'

/**
 * Packages that are installed with bankapi; all others become part of the bundle. These have native code, need files beside
 * their code, or are found by name at run time.
 */
export const installed = ['@napi-rs/keyring', 'fastify', 'jq-wasm']

/** What few runs of the emulator need: pdfkit, and the SDK of its connector. dist/emulator.js imports the same files. */
const separateFromEmulator = {
  'src/emulator/files/statement-pdf.ts': 'statement-pdf.cjs',
  'src/mcp-sdk.ts': 'mcp-sdk.cjs',
}

/** Modules that few runs need. They become separate files, which the other runs do not read. */
const separate = {
  'src/emulator/start.ts': 'emulator-start.cjs',
  'src/mcp/connector/bridge.ts': 'mcp-bridge.cjs',
  ...separateFromEmulator,
  // The program bundles the parts of undici that a direct request needs; a proxy needs all of it.
  undici: 'whole-undici.cjs',
  // undici's parser for processors without SIMD.
  'node_modules/undici/lib/llhttp/llhttp-wasm.js': 'llhttp-wasm.cjs',
  kysely: 'kysely.cjs',
  'src/openapi/openapi.ts': 'openapi.cjs',
  'src/output/formats/yaml.ts': 'yaml.cjs',
  'src/cli/help/page.ts': 'help-page.cjs',
  // Lines of a terminal, which scripts never need.
  'src/commands/webhooks/_terminal-lines.ts': 'delivery-lines.cjs',
  'src/output/operation-line.ts': 'operation-line.cjs',
  'src/cli/charts/charts.ts': 'charts.cjs',
  '@inquirer/prompts': 'prompts.cjs',
  chalk: 'chalk.cjs',
  // oclif has these for plugins, versions, spinners and templates of its own.
  'cli-spinners': 'cli-spinners.cjs',
  ejs: 'ejs.cjs',
  minimatch: 'minimatch.cjs',
  semver: 'semver.cjs',
  tinyglobby: 'tinyglobby.cjs',
  pg: 'pg.cjs',
  'pg-boss': 'pg-boss.cjs',
  // Ink has a top-level await, so it has to be an ES module, and a file that has a real import() has to load it.
  'src/tui/load-screen.ts': 'load-screen.cjs',
  'src/tui/loop.ts': 'tui-loop.cjs',
  'src/tui/views/mount.tsx': 'screen.js',
}

/**
 * The metrics of the fonts that statements use. pdfkit requires them at run time as `#standard-fonts/…`, which `imports` in
 * package.json maps to these files.
 */
const standardFonts = ['Helvetica', 'HelveticaBold'].map((name) => ({
  in: `node_modules/pdfkit/js/standard-fonts/${name}.cjs`,
  out: `standard-fonts/${name}`,
}))

const common = {
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node24',
  jsx: 'automatic',
  define: {
    // React's development build is larger and slower.
    'process.env.NODE_ENV': '"production"',
    // undici checks for this global, and then leaves out a second HTTP parser.
    esbuildDetection: 'true',
  },
  // Names are kept and lines short, so that a stack trace can be read.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Leaves out react-devtools-core, which Ink loads only for its own developers. */
const inkDevtools: Plugin = {
  name: 'ink-devtools',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: 'react-devtools-core', external: true }))
  },
}

/** Leaves out Ajv, with which the SDK of MCP validates what servers other than these ask a user for. */
const withoutAjv: Plugin = {
  name: 'without-ajv',
  setup({ onLoad }) {
    onLoad({ filter: /@modelcontextprotocol\/server\/dist\/ajvProvider-.*\.mjs$/ }, () => ({
      contents: 'class AjvJsonSchemaValidator {}; export { AjvJsonSchemaValidator as n }',
    }))
  },
}

/** Makes the import of a separate module an import of its file at run time. */
const separateFiles = (separate: Record<string, string>): Plugin => ({
  name: 'separate-files',
  setup({ onResolve, resolve, initialOptions: { absWorkingDir: root = '.' } }) {
    onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (kind === 'entry-point' || pluginData === 'resolved') return undefined
      const found = path.startsWith('.')
        ? await resolve(path, { kind, importer, resolveDir, pluginData: 'resolved' })
        : { path }
      const file = Object.entries(separate).find(
        ([name]) => found.path === name || found.path === join(root, name),
      )
      return file && { path: `./${file[1]}`, external: true }
    })
  },
})

/** Leaves out the tests beside commands, which the pattern that imports the commands matches, too. */
const withoutTests: Plugin = {
  name: 'without-tests',
  setup({ onLoad }) {
    onLoad({ filter: /\.test\.ts$/ }, () => ({ contents: '', loader: 'ts' }))
  },
}

/** Leaves out separate modules beside commands, which that pattern matches, too: importing one is left to `separateFiles`. */
const withoutSeparate: Plugin = {
  name: 'without-separate',
  setup({ onLoad, initialOptions: { absWorkingDir: root = '.' } }) {
    const files = new Set(Object.keys(separate).map((name) => join(root, name)))
    onLoad({ filter: /\/_[^/]*\.ts$/ }, ({ path }) =>
      files.has(path) ? { contents: '', loader: 'ts' } : undefined,
    )
  },
}

/** Entry points of the separate modules whose files have this extension. */
const separateEntries = (extension: string) =>
  Object.entries(separate).flatMap(([name, file]) =>
    file.endsWith(extension) ? [{ in: name, out: file.slice(0, -extension.length) }] : [],
  )

/** Bundles into `outdir`, relative to `root`. */
export async function bundle(root: string, outdir: string, commands: Commands): Promise<void> {
  const place = { absWorkingDir: root, outdir }
  // CommonJS starts faster: Node does not read every export of its own modules, and esbuild evaluates a module when it is
  // first required or import()ed.
  const commonJs = {
    ...common,
    ...place,
    // oclif loads typescript only where a plugin is developed.
    external: [...installed, 'typescript'],
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: {
      ...common.define,
      'import.meta.url': 'moduleUrl',
      // Else oclif compares the version of Node with its own package.json, which is not in the bundle.
      'process.env.OCLIF_DISABLE_ENGINE_WARNING': '"1"',
    },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [separateFiles(separate), withoutTests, inlineRequires],
  } as const satisfies BuildOptions
  const program = build({
    ...commonJs,
    entryPoints: { bankapi: 'src/cli/bundle.ts' },
    // src/cli/code-cache.ts identifies the file by its name, and evaluates it as a script, which has no import().
    entryNames: '[name]-[hash]',
    supported: { 'dynamic-import': false },
    plugins: [withoutSeparate, ...commonJs.plugins],
  })
  const main = build({
    ...commonJs,
    entryPoints: { main: 'src/cli/main.ts' },
    // require() takes no time to set up, unlike the first import().
    supported: { 'dynamic-import': false },
  })
  const others = build({
    ...commonJs,
    entryPoints: [...separateEntries('.cjs'), ...standardFonts],
    plugins: [withoutAjv, ...commonJs.plugins],
  })
  const esModules = {
    ...common,
    ...place,
    external: [...installed, 'string-width'],
    format: 'esm',
    // CommonJS packages call require() for Node's own modules.
    banner: {
      js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
    },
    plugins: [inkDevtools, inlineRequires],
  } as const satisfies BuildOptions
  const screen = build({ ...esModules, entryPoints: separateEntries('.js') })
  // Readable, as programs import it.
  const emulator = build({
    ...esModules,
    entryPoints: ['src/emulator.ts'],
    minifyWhitespace: false,
    plugins: [...esModules.plugins, separateFiles(separateFromEmulator)],
  })
  // Modules that run as a process or a thread of their own: each file needs no other.
  const processes = build({
    ...common,
    ...place,
    outbase: 'src',
    entryPoints: await Array.fromAsync(glob('src/**/*-{process,thread}.ts', { cwd: root })),
    external: installed,
    format: 'esm',
  })
  // One file that needs neither Node nor any package: on the neutral platform, without externals, an import that an edge
  // runtime lacks fails the build.
  const webhooks = build({
    absWorkingDir: root,
    entryPoints: ['src/webhooks.ts'],
    outfile: join(outdir, 'webhooks.js'),
    bundle: true,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    logLevel: 'warning',
  })
  // Needs no package, and of Node only what Deno and Bun have, too. Each area of the contract is a file, read when it is used.
  const client = build({
    absWorkingDir: root,
    entryPoints: ['src/client.ts'],
    outdir: join(outdir, 'client'),
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'warning',
  })
  const made = await Promise.all([program, main, others, screen, emulator, processes, webhooks, client])
  const outputs = Object.assign({}, ...made.map(({ metafile }) => metafile.outputs)) as Metafile['outputs']
  // Inputs and imports of every file under its final name, and the imports between the program's modules; tests read it.
  const metafile: Metafile = { outputs, inputs: (await program).metafile.inputs }
  await writeFile(
    join(root, outdir, 'metafile.json'),
    JSON.stringify(metafile).replaceAll(`"${outdir}/`, '"dist/'),
  )
  const names = Object.keys((await program).metafile.outputs).map((file) => basename(file))
  const built: BuiltProgram = {
    bundle: names.find((name) => name.endsWith('.cjs')) ?? '',
    commands,
  }
  await writeFile(join(root, outdir, 'program.json'), JSON.stringify(built))
  const packages = await bundledPackages(root, outputs)
  await writeFile(join(root, outdir, 'LICENSES.txt'), await licensesOf(root, packages))
}
