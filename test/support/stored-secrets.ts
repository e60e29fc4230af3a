import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHome, type Home } from './cli.ts'

/** A home with these secrets in the credentials file: keychain account -> secret. */
export async function withStoredSecrets(
  secrets: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
): Promise<Home> {
  const home = createHome({ env })
  const folder = join(home.folder, 'config')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'credentials.json'), JSON.stringify(secrets), { mode: 0o600 })
  return home
}
