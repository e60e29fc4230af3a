/** What esbuild makes of src/: the program, and what other programs import. */
import { glob, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { builtInsPlugin } from './built-ins-plugin.ts'
import { bundledPackages, licensesOf } from './bundled-packages.ts'
import { oclifPlugin } from './oclif-plugin.ts'
import { startUpPlugin } from './start-up-plugin.ts'
import { undiciPlugin } from './undici-plugin.ts'

/**
 * Packages that are installed with bankapi; every other one is part of the bundle. They have native code or files of
 * their own beside their code, or are found by name when they are needed.
 */
const installed = ['@napi-rs/keyring', 'fastify', 'jq-wasm', 'pdfkit', 'string-width']

/** Ink looks at itself through a package that only its own developers have. */
const inkPlugin: Plugin = {
  name: 'ink',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/devtools\.js$/ }, () => ({ path: 'react-devtools-core', external: true }))
  },
}

/** What `main` imports when it has to: a file beside it, from the other build. */
const besideMainPlugin: Plugin = {
  name: 'beside-main',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(?:errors\/report|errors\/unknown-command)\.ts$/ }, ({ path }) => ({
      path: path.replace(/ts$/, 'js'),
      external: true,
    }))
  },
}

const common = {
  outbase: 'src',
  bundle: true,
  metafile: true,
  external: installed,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  jsx: 'automatic',
  // React's development build is larger and slower. undici asks for the other name, and leaves out a second parser.
  define: { 'process.env.NODE_ENV': '"production"', esbuildDetection: 'true' },
  // Names stay and lines are short, so that a stack trace leads somewhere.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'warning',
} as const satisfies BuildOptions

/** Packages in CommonJS require what is built into Node. */
const requireBanner = {
  js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);",
}

/** Bundles into `outdir`, a folder in `root`. */
export async function bundle(root: string, outdir: string): Promise<void> {
  const place = { absWorkingDir: root, outdir }
  const sources = async (pattern: string): Promise<string[]> => {
    const files = await Array.fromAsync(glob(pattern, { cwd: root }))
    return files.filter((file) => !/\.test\.tsx?$|\/_/.test(file)).sort()
  }
  // The commands, and how a failure is told: they have to mean the same error classes.
  const commands = build({
    ...common,
    ...place,
    entryPoints: await sources('src/{cli/errors/report,cli/errors/unknown-command,commands/**/*}.ts'),
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    banner: requireBanner,
    plugins: [oclifPlugin, undiciPlugin, inkPlugin, startUpPlugin, builtInsPlugin],
  })
  // What runs before a command, or as a process or a thread of its own: each is a file that needs no other.
  const starts = build({
    ...common,
    ...place,
    entryPoints: await sources('src/{cli/main,**/*-process,**/*-thread}.ts'),
    plugins: [besideMainPlugin, builtInsPlugin],
  })
  const emulator = build({
    ...common,
    ...place,
    entryPoints: ['src/emulator.ts'],
    minifyWhitespace: false,
    banner: requireBanner,
    plugins: [undiciPlugin],
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
  const made = await Promise.all([commands, starts, emulator, webhooks])
  const outputs = Object.assign({}, ...made.map(({ metafile }) => metafile.outputs)) as Metafile['outputs']
  // What each file is made of and imports, under the names that the files will have: for test/arch/start-up.test.ts.
  await writeFile(
    join(root, outdir, 'outputs.json'),
    JSON.stringify(outputs).replaceAll(`"${outdir}/`, '"dist/'),
  )
  const packages = await bundledPackages(root, outputs)
  await writeFile(join(root, outdir, 'LICENSES.txt'), await licensesOf(root, packages))
}
