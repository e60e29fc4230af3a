/** The schema's history: each step once, in order; `user_version` says how far a file has come. */
import type { Database } from './database.ts'
import { firstSchema } from './schema.ts'

const steps: readonly string[] = [firstSchema]

/** Brings a database to the newest schema, all steps or none. Throws for a file from a newer emulator. */
export function migrate(db: Database): void {
  const version = db.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > steps.length) {
    throw new Error(
      `the emulator's data was written by a newer bankapi (schema ${version}, known ${steps.length})`,
    )
  }
  if (version === steps.length) return
  db.transaction(() => {
    for (const step of steps.slice(version)) db.script(step)
    db.script(`PRAGMA user_version = ${steps.length}`)
  })
}
