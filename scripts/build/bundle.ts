/** Bundles src/ into dist/ with esbuild: the program, and what other programs import. */
import { glob, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import type { BuiltProgram } from '../../src/cli/built-files.ts'
import { bundledPackages, licensesOf } from './bundled-packages.ts'
import { commandsIn } from './commands.ts'
import { inlineRequires } from './inline-requires.ts'

/**
 * Packages that are installed with bankapi; every other one is part of the bundle. They have native code or files of
 * their own beside their code, or are found by name when they are needed.
 */
const installed = ['@napi-rs/keyring', 'fastify', 'jq-wasm', 'pdfkit']

/** Modules that few runs need: files of their own, so that the other runs need not read them. */
const separate = {
  'src/emulator/start.ts': 'emulator-start.cjs',
  // Of undici the program holds the parts that a request needs; only the whole can go through a proxy.
  undici: 'whole-undici.cjs',
  'src/output/formats/yaml.ts': 'yaml.cjs',
  '@inquirer/prompts': 'prompts.cjs',
  // Ink awaits at its top, which only an ES module can, and a file with an import() that is one has to load it.
  'src/tui/load-screen.ts': 'load-screen.cjs',
  'src/tui/views/mount.tsx': 'screen.js',
}

const common = {
  bundle: true,
  metafile: true,
  platform: 'node',
  target: 'node24',
  jsx: 'automatic',
  define: {
    // React's development build is larger and slower.
    'process.env.NODE_ENV': '"production"',
    // undici asks for this name, and leaves out a second HTTP parser.
    esbuildDetection: 'true',
  },
  // Names stay and lines are short, so that a stack trace leads somewhere.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Ink looks at itself through a package that only its own developers have. */
const inkDevtools: Plugin = {
  name: 'ink-devtools',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: 'react-devtools-core', external: true }))
  },
}

/** Leaves the import of a separate module to the run, with the name of the file that it becomes. */
const separateFiles: Plugin = {
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
}

/** Leaves out the tests that stand beside commands: a command is imported by a pattern, which fits them, too. */
const withoutTests: Plugin = {
  name: 'without-tests',
  setup({ onLoad }) {
    onLoad({ filter: /\.test\.ts$/ }, () => ({ contents: '', loader: 'ts' }))
  },
}

/** Entry points of the separate modules whose files end like this. */
const separateEntries = (extension: string) =>
  Object.entries(separate).flatMap(([name, file]) =>
    file.endsWith(extension) ? [{ in: name, out: file.slice(0, -extension.length) }] : [],
  )

/** Bundles into `outdir`, a folder in `root`. */
export async function bundle(root: string, outdir: string): Promise<void> {
  const place = { absWorkingDir: root, outdir }
  // CommonJS keeps a start short: Node's own modules are not searched for everything they export, and esbuild evaluates
  // a module in it when it is first required or import()ed.
  const commonJs = {
    ...common,
    ...place,
    // oclif looks for typescript where a plugin is developed; here that is never.
    external: [...installed, 'typescript'],
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    define: {
      ...common.define,
      'import.meta.url': 'moduleUrl',
      // oclif would compare the version of Node with its own package.json, which is not there.
      'process.env.OCLIF_DISABLE_ENGINE_WARNING': '"1"',
    },
    banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [separateFiles, withoutTests, inlineRequires],
  } as const satisfies BuildOptions
  // Every command.
  const program = build({
    ...commonJs,
    entryPoints: { bankapi: 'src/cli/bundle.ts' },
    // src/cli/code-cache.ts knows it by its name, and evaluates it as a script, in which there is no import().
    entryNames: '[name]-[hash]',
    supported: { 'dynamic-import': false },
  })
  const others = build({
    ...commonJs,
    entryPoints: [{ in: 'src/cli/main.ts', out: 'main' }, ...separateEntries('.cjs')],
  })
  const esModules = {
    ...common,
    ...place,
    external: [...installed, 'string-width'],
    format: 'esm',
    // Packages in CommonJS require what is built into Node.
    banner: {
      js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
    },
    plugins: [inkDevtools, inlineRequires],
  } as const satisfies BuildOptions
  const screen = build({ ...esModules, entryPoints: separateEntries('.js') })
  // What programs import can be read.
  const emulator = build({ ...esModules, entryPoints: ['src/emulator.ts'], minifyWhitespace: false })
  // What runs as a process of its own: each is a file that needs no other.
  const processes = build({
    ...common,
    ...place,
    outbase: 'src',
    entryPoints: await Array.fromAsync(glob('src/**/*-process.ts', { cwd: root })),
    external: installed,
    format: 'esm',
  })
  // One file that needs nothing, neither of Node nor of any package. Neutral, with nothing external: an import that an
  // edge runtime does not have fails the build.
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
  const made = await Promise.all([program, others, screen, emulator, processes, webhooks])
  const outputs = Object.assign({}, ...made.map(({ metafile }) => metafile.outputs)) as Metafile['outputs']
  // What the files are made of and import, under the names that they will have, and what imports what in the program.
  const metafile: Metafile = { outputs, inputs: (await program).metafile.inputs }
  await writeFile(
    join(root, outdir, 'metafile.json'),
    JSON.stringify(metafile).replaceAll(`"${outdir}/`, '"dist/'),
  )
  const names = Object.keys((await program).metafile.outputs).map((file) => basename(file))
  const built: BuiltProgram = {
    bundle: names.find((name) => name.endsWith('.cjs')) ?? '',
    commands: commandsIn(root),
  }
  await writeFile(join(root, outdir, 'program.json'), JSON.stringify(built))
  const packages = await bundledPackages(root, outputs)
  await writeFile(join(root, outdir, 'LICENSES.txt'), await licensesOf(root, packages))
}
