/** The mirror as a Postgres database, which many machines may write. */
import type { Mirror } from './mirror.ts'

export interface OpenPostgresMirror {
  readonly readOnly: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** Connections at most. */
  readonly connections: number
}

/** @throws MirrorError, PostgresAddressError */
export function openPostgresMirror(_url: string, _options: OpenPostgresMirror): Promise<Mirror> {
  throw new Error('in work')
}
