import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHome, type Home } from './cli.ts'

/** A home with these secrets in the credentials file: keychain account -> secret. */
export async function withStoredSecrets(
  secrets: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
): Promise<Home> {
  const home = createHome({ env })
  storeSecrets(home, secrets)
  return home
}

/** Replaces the credentials file of a home. */
export function storeSecrets(
  { folder }: Pick<Home, 'folder'>,
  secrets: Readonly<Record<string, string>>,
): void {
  const config = join(folder, 'config')
  mkdirSync(config, { recursive: true, mode: 0o700 })
  writeFileSync(join(config, 'credentials.json'), JSON.stringify(secrets), { mode: 0o600 })
}
