/** Checks the invariants of the emulator's database, which hold even right after a kill. Returns a sentence for each broken one. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Queries that must find nothing. */
const forbidden: Readonly<Record<string, string>> = {
  'a delivery waits and nothing will make it': `
    SELECT d.seq FROM deliveries d WHERE d.state = 'pending' AND
      (SELECT count(*) FROM jobs j WHERE j.job ->> 'kind' = 'deliver' AND j.job ->> 'delivery' = d.seq) <> 1`,
  'a delivery is over and would be made again': `
    SELECT d.seq FROM deliveries d JOIN jobs j ON j.job ->> 'kind' = 'deliver' AND j.job ->> 'delivery' = d.seq
      WHERE d.state <> 'pending'`,
  'a delivery counts other attempts than were made': `
    SELECT d.seq FROM deliveries d JOIN events e ON e.seq = d.event JOIN subscriptions s ON s.seq = d.subscription
      WHERE d.attempts <> (SELECT count(*) FROM delivery_attempts a WHERE a.event_id = e.id AND a.subscription_id = s.id)`,
  'an event that somebody asked for has no delivery': `
    SELECT e.id FROM events e JOIN subscriptions s ON s.tenant = e.tenant AND e.created_at > s.created_at,
      json_each(s.event_types) asked
      WHERE asked.value = e.type
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event = e.seq AND d.subscription = s.seq)`,
  'two events have one id': 'SELECT id FROM events GROUP BY id HAVING count(*) > 1',
  'an operation waits and nothing will end it': `
    SELECT o.id FROM operations o WHERE o.status = 'queued' AND NOT EXISTS
      (SELECT 1 FROM jobs j WHERE j.job ->> 'operation' = o.seq)`,
  'an operation ended without outcome, or has one before its end': `
    SELECT id FROM operations WHERE (status = 'queued') <> (completed_at IS NULL)
      OR (status = 'succeeded') <> (result IS NOT NULL) OR (status = 'failed') <> (error IS NOT NULL)`,
  'a linked bank has no accounts': `
    SELECT c.id FROM connections c WHERE c.reached_active = 1
      AND NOT EXISTS (SELECT 1 FROM accounts a WHERE a.connection = c.seq)`,
  'accounts of a bank that is not linked': `
    SELECT a.id FROM accounts a JOIN connections c ON c.seq = a.connection WHERE c.reached_active = 0`,
  'a linked bank that nobody was told of': `
    SELECT c.id FROM connections c WHERE c.reached_active = 1 AND c.widget_token IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM events e
        WHERE e.tenant = c.tenant AND e.type = 'connection.active'
        AND e.body ->> '$.data.connection.id' = c.id)`,
  'a bank of which was told that is not linked': `
    SELECT e.id FROM events e WHERE e.type = 'connection.active' AND NOT EXISTS
      (SELECT 1 FROM connections c WHERE c.tenant = e.tenant AND c.reached_active = 1 AND c.id = e.body ->> '$.data.connection.id')`,
  'the last event of a connection tells another status than it has': `
    SELECT c.id, c.status, e.type FROM connections c JOIN events e ON e.seq = (
        SELECT max(l.seq) FROM events l WHERE l.tenant = c.tenant AND l.body ->> '$.data.connection.status' IS NOT NULL
          AND l.body ->> '$.data.connection.id' IN (c.id, c.placeholder_id))
      WHERE e.body ->> '$.data.connection.status' <> c.status`,
  'an account has other new transactions than its events told of': `
    SELECT a.id FROM accounts a JOIN connections c ON c.seq = a.connection WHERE c.widget_token IS NULL AND
      (SELECT count(*) FROM transactions t WHERE t.account = a.seq AND t.created_at > a.created_at
        AND t.created_at NOT LIKE '%T12:00:00.000Z')
      <> (SELECT coalesce(sum(e.body ->> '$.data.account.new_transaction_count'), 0) FROM events e
        WHERE e.tenant = a.tenant AND e.type = 'account.refresh.completed' AND e.body ->> '$.data.account.id' = a.id)`,
}

export function brokenInvariants(dataDir: string): string[] {
  const file = join(dataDir, 'emulator.db')
  if (!existsSync(file)) return []
  const db = new DatabaseSync(file)
  try {
    const sound = db.prepare('PRAGMA integrity_check').all()
    const broken = sound.length === 1 && sound[0]?.['integrity_check'] === 'ok' ? [] : ['the file is damaged']
    if (db.prepare('PRAGMA foreign_key_check').all().length > 0) broken.push('a row refers to nothing')
    // Killed before the schema was created: then all of it is missing.
    if (db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'tenants'").all().length === 0) return broken
    for (const [name, query] of Object.entries(forbidden)) {
      const found = db.prepare(query).all()
      if (found.length > 0) broken.push(`${name}: ${JSON.stringify(found.slice(0, 3))}`)
    }
    return broken
  } finally {
    db.close()
  }
}
