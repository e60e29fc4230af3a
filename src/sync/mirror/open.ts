/** Opens a mirror, wherever it is, and holds it to the environment that it was made for. */
import { existsSync } from 'node:fs'
import { destinationOf } from './destination.ts'
import type { Mirror } from './mirror.ts'
import { MirrorError } from './mirror-error.ts'
import { openSqliteMirror } from './sqlite.ts'

export interface OpenMirror {
  /** As the user wrote it. */
  readonly to: string
  /** For reading alone: nothing is created or migrated. */
  readonly readOnly?: boolean
  /** Nothing is made where there is none; so always with `readOnly`. */
  readonly mustExist?: boolean
  /** The file of query-process; default: its source. */
  readonly queryProgram?: URL
  /** Environment variables: those of Postgres. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Connections to Postgres at most. */
  readonly connections?: number
}

/** @throws MirrorError, `no_mirror` for one that is not there and must be. */
export async function openMirror({
  to,
  readOnly = false,
  mustExist = readOnly,
  queryProgram,
  env,
  connections,
}: OpenMirror): Promise<Mirror> {
  const destination = destinationOf(to)
  if (destination.kind === 'postgres') {
    const { openPostgresMirror } = await import('./postgres.ts')
    return openPostgresMirror(destination.url, { readOnly, env, connections: connections ?? 8 })
  }
  if (mustExist && !existsSync(destination.path)) {
    throw new MirrorError(
      'no_mirror',
      `There is no mirror at ${destination.path}.`,
      'Make it: bankapi sync',
      {
        exit: 'notFound',
      },
    )
  }
  return openSqliteMirror(destination.path, { readOnly, queryProgram })
}

export interface Mark {
  readonly environment: string
  readonly baseUrl: string
  /** Whether the user gave this address: then that of `local` may not be another either. */
  readonly isNamed?: boolean
}

/**
 * Holds a mirror to one environment and address, which its first run writes into it. The address of `local` may change: each
 * start of the emulator may choose another port; so may any other until a Client was read there, as it may have been mistyped.
 * @throws MirrorError `other_environment`; nothing is written then.
 */
export async function assertMark(mirror: Mirror, { environment, baseUrl }: Mark): Promise<void> {
  const made = await markOf(mirror)
  const mistyped = made.environment === environment && made.baseUrl !== baseUrl && environment !== 'local'
  if (made.environment === undefined || (mistyped && (await neverHadClient(mirror)))) {
    await mirror.transaction((db) =>
      mirror.put(db, 'mirror', [
        { name: 'environment', value: environment },
        { name: 'base_url', value: baseUrl },
        { name: 'created_at', value: new Date().toISOString() },
      ]),
    )
    return
  }
  assertIsOf(mirror, made, { environment, baseUrl })
}

/**
 * Holds a mirror that is only read to the environment and address that it was made for. One without a mark is as it is.
 * Returns whether it was made at this very address.
 * @throws MirrorError `other_environment`.
 */
export async function assertReadable(mirror: Mirror, mark: Mark): Promise<boolean> {
  const made = await markOf(mirror)
  if (made.environment !== undefined) assertIsOf(mirror, made, mark)
  return made.baseUrl === mark.baseUrl
}

type Made = { readonly [Key in 'environment' | 'baseUrl']: string | undefined }

async function markOf({ db }: Mirror): Promise<Made> {
  const rows = await db.selectFrom('mirror').selectAll().execute()
  const marks = new Map(rows.map(({ name, value }) => [name, value]))
  return { environment: marks.get('environment'), baseUrl: marks.get('base_url') }
}

function assertIsOf(mirror: Mirror, made: Made, { environment, baseUrl, isNamed = false }: Mark): void {
  const mayMove = environment === 'local' && !isNamed
  if (made.environment === environment && (mayMove || made.baseUrl === baseUrl)) return
  throw new MirrorError(
    'other_environment',
    `The mirror ${mirror.shown} is of ${made.environment} at ${made.baseUrl}, not of ${environment} at ${baseUrl}.`,
    'Name another mirror with --to, or the environment with --env',
  )
}

async function neverHadClient({ db }: Mirror): Promise<boolean> {
  const client = await db.selectFrom('clients').select('id').limit(1).executeTakeFirst()
  const forgotten = await db.selectFrom('forgotten_clients').select('client_id').limit(1).executeTakeFirst()
  return client === undefined && forgotten === undefined
}
