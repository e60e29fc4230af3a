/** Lists the packages whose code is in dist/, and collects their licences, which have to accompany it. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'

export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Folder, relative to the root of the project. */
  readonly folder: string
}

/** Every package with code in the build, sorted by name. */
export async function bundledPackages(root: string, outputs: Metafile['outputs']): Promise<BundledPackage[]> {
  const folders = new Set<string>()
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]
      if (folder !== undefined && bytesInOutput > 0) folders.add(folder)
    }
  }
  const packages = await Promise.all(
    [...folders].map(async (folder) => {
      const { name, version, license } = JSON.parse(
        await readFile(join(root, folder, 'package.json'), 'utf8'),
      )
      // png-js names its licence only in the first line of the file.
      const stated = license ?? (await licenseText(root, folder))?.split('\n')[0]?.replace(/ License$/, '')
      return { name, version, license: String(stated), folder }
    }),
  )
  return packages.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1))
}

async function licenseText(root: string, folder: string): Promise<string | undefined> {
  const files = await readdir(join(root, folder))
  const file = files.find((name) => /^licen[cs]e(?:\.|$)/i.test(name))
  return file === undefined ? undefined : await readFile(join(root, folder, file), 'utf8')
}

/** The licences of the packages, one after the other. */
export async function licensesOf(root: string, packages: readonly BundledPackage[]): Promise<string> {
  const texts = packages.map(async ({ name, version, license, folder }) => {
    const text = (await licenseText(root, folder)) ?? `Licence: ${license}`
    return `${name} ${version}\n\n${text.trim()}\n`
  })
  const rule = `\n${'-'.repeat(80)}\n\n`
  return `The code of these packages is part of bankapi.\n${rule}${(await Promise.all(texts)).join(rule)}`
}
