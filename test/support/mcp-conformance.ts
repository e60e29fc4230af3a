/** Runs the protocol's own conformance suite against a server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Revision } from './connector-client.ts'

const require = createRequire(import.meta.url)
const suite = require.resolve('@modelcontextprotocol/conformance/dist/index.js')

export interface Conformance {
  /** As `scenario: check`, each once and in order. */
  readonly passed: readonly string[]
  readonly failed: readonly string[]
}

/** Every check of the scenarios for a revision, those of extensions left out. */
export async function conformance(url: string, revision: Revision): Promise<Conformance> {
  const folder = mkdtempSync(join(tmpdir(), 'bankapi-conformance-'))
  try {
    const args = [
      'server',
      '--url',
      url,
      '--suite',
      'all',
      '--spec-version',
      revision,
      '--output-dir',
      folder,
    ]
    const child = spawn(process.execPath, [suite, ...args], { stdio: 'ignore' })
    await once(child, 'exit')
    const checks = readdirSync(folder).flatMap((name) => {
      const scenario = name.replace(/^server-|-\d{4}-\d{2}-\d{2}T[\d-]+Z$/g, '')
      const made = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as {
        id: string
        status: string
      }[]
      return made.map(({ id, status }) => ({ name: `${scenario}: ${id}`, status }))
    })
    const named = (wanted: string) =>
      [...new Set(checks.flatMap(({ name, status }) => (status === wanted ? [name] : [])))].sort()
    return { passed: named('SUCCESS'), failed: named('FAILURE') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
