/** Makes the executable of one target: Node, stripped first, with the program put into it by Node's `--build-sea`. */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contents } from './contents.ts'
import { signAdHoc } from './mach-o.ts'
import { run, unpackPackage } from './npm-package.ts'
import { lockedPackage, type Target } from './targets.ts'

export interface Making {
  readonly root: string
  /** An empty folder, removed by the caller. */
  readonly scratch: string
  readonly contents: Contents
  /** Node of the same version, which runs on this machine. */
  readonly builder: string
  /** The file to make. */
  readonly output: string
}

/** Unpacks Node of a target. */
export function unpackNode(root: string, { node, nodeFile, name }: Target, scratch: string): string {
  const folder = join(scratch, `node-${name}`)
  unpackPackage(root, node, folder, [nodeFile])
  return join(folder, nodeFile)
}

/** Returns what has to be said of it, as sentences. */
export function make(target: Target, { root, scratch, contents, builder, output }: Making): string[] {
  const node = join(scratch, `stripped-${target.name}`)
  copyFileSync(unpackNode(root, target, scratch), node)
  chmodSync(node, 0o755)
  // Before the program is put in: strip would take it for waste, or break its place in the file.
  const remarks = strip(target, node)

  const keyring = join(scratch, 'keyring', target.name)
  unpackPackage(root, lockedPackage(root, target.keyring), keyring)
  const library = JSON.parse(readFileSync(join(keyring, 'package.json'), 'utf8')) as { main: string }
  const assets = Object.fromEntries([
    ...contents.files.map((file) => [file.replaceAll('\\', '/'), join(root, file)]),
    ...['package.json', library.main].map((file) => [
      `node_modules/${target.keyring}/${file}`,
      join(keyring, file),
    ]),
  ])
  const config = join(scratch, `${target.name}.json`)
  const sea = {
    main: join(root, 'bin/executable.cjs'),
    mainFormat: 'commonjs',
    executable: node,
    output,
    disableExperimentalSEAWarning: true,
    useVfs: true,
    // NODE_OPTIONS counts, as it does for an installed bankapi; arguments are all the program's own.
    execArgvExtension: 'env',
    assets,
  }
  writeFileSync(config, JSON.stringify(sea))
  run(builder, ['--build-sea', config])
  // Apple silicon runs nothing unsigned, and what was put in makes Node's own signature invalid.
  if (target.name.startsWith('darwin')) signAdHoc(output, 'bankapi')
  chmodSync(output, 0o755)
  return remarks
}

function strip({ name, strips }: Target, file: string): string[] {
  if (strips.length === 0) return []
  const before = statSync(file).size
  for (const program of strips) {
    if (spawnSync(program, [file]).status === 0 && statSync(file).size < before) return []
  }
  return [
    `${name} is not stripped, and some 35 MB larger for it: none of ${strips.join(', ')} is here and takes it.`,
  ]
}
