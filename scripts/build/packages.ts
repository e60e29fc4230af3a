/** Copies from dist/ what the packages in packages/ publish: each has the files that `bankapi` has under the same names. */
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { bundledPackages, licensesOf } from './bundled-packages.ts'
import { copyReachable } from './types.ts'

/** Files and folders of dist/, and the declarations that their users import. */
const contents: Readonly<Record<string, { readonly code: readonly string[]; readonly types: string }>> = {
  client: { code: ['client'], types: 'client.d.ts' },
  webhooks: { code: ['webhooks.js'], types: 'webhooks.d.ts' },
  emulator: {
    code: ['emulator.js', 'mcp-sdk.cjs', 'statement-pdf.cjs', 'standard-fonts', 'browser'],
    types: 'emulator.d.ts',
  },
}

/** Writes `dist/` and LICENSE of every package from the `dist/` of the project. */
export async function writePackages(root: string): Promise<void> {
  const { outputs } = JSON.parse(await readFile(join(root, 'dist/metafile.json'), 'utf8')) as Metafile
  for (const [name, { code, types }] of Object.entries(contents)) {
    const folder = join(root, 'packages', name)
    await rm(join(folder, 'dist'), { recursive: true, force: true })
    for (const path of code) {
      await cp(join(root, 'dist', path), join(folder, 'dist', path), {
        recursive: true,
        filter: (file) => !file.endsWith('.map'),
      })
    }
    await copyReachable(join(root, 'dist/types'), join(folder, 'dist/types'), [types])
    await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
    const own = Object.entries(outputs).filter(([file]) =>
      code.some((path) => file === `dist/${path}` || file.startsWith(`dist/${path}/`)),
    )
    const packages = await bundledPackages(root, Object.fromEntries(own))
    if (packages.length > 0) {
      await writeFile(join(folder, 'dist/LICENSES.txt'), await licensesOf(root, packages))
    }
  }
}
