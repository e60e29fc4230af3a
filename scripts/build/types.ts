/**
 * Writes the types of the modules that programs import. They need no package: the contract's schemas, which are types of
 * zod, are replaced with those of src/client/, which have the same names and are made from them.
 */
import { spawnSync } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import ts from 'typescript'

/** Writes the declarations of src/client.ts and src/webhooks.ts, and of the modules that they name, into `outdir`. */
export async function emitTypes(root: string, outdir: string): Promise<void> {
  const all = join(outdir, 'all')
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  const config = join(root, 'tsconfig.types.json')
  const options = { encoding: 'utf8', shell: process.platform === 'win32' } as const
  const { status, error, stdout } = spawnSync(tsc, ['-p', config, '--outDir', all], options)
  if (status !== 0) throw new Error(`the types: ${error ?? stdout}`)
  await copyReachable(all, outdir, ['client.d.ts', 'webhooks.d.ts'])
  await rm(all, { recursive: true })
}

const replaced: Readonly<Record<string, string>> = { 'contract/events': 'client/events' }
const zodFree = /^(?!contract\/(?!values$))/

/** Copies declarations and those that they import. What they import from is written as .js files. */
export async function copyReachable(from: string, to: string, files: readonly string[]): Promise<void> {
  const wanted = new Set(files)
  for (const file of wanted) {
    const text = await readFile(join(from, file), 'utf8')
    const made = text.replaceAll(
      /((?:from|import)\s*\(?['"])(\.{1,2}\/[^'"]+)\.[jt]s(['"])/g,
      (_, before: string, path: string, after: string) => {
        const found = join(dirname(file), path).replaceAll(sep, '/')
        const target = replaced[found] ?? (zodFree.test(found) ? found : 'client/service')
        wanted.add(`${target}.d.ts`)
        const relativePath = relative(dirname(file), target).replaceAll(sep, '/')
        return `${before}${relativePath.startsWith('.') ? '' : './'}${relativePath}.js${after}`
      },
    )
    await mkdir(dirname(join(to, file)), { recursive: true })
    await writeFile(join(to, file), made)
  }
}

/**
 * Writes the types of src/emulator.ts from that file alone, which uses no type of another module: those of the emulator
 * would bring the types of all its packages.
 */
export async function emitEmulatorTypes(root: string, outdir: string): Promise<void> {
  const source = await readFile(join(root, 'src/emulator.ts'), 'utf8')
  const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.NodeNext }
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, { compilerOptions })
  const [problem] = diagnostics
  if (problem !== undefined) {
    throw new Error(
      `the types of src/emulator.ts: ${ts.flattenDiagnosticMessageText(problem.messageText, ' ')}`,
    )
  }
  await writeFile(join(outdir, 'emulator.d.ts'), outputText)
}
