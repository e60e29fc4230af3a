import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { firstSchema } from './schema.ts'
import { openStore } from './store.ts'

test('data of an earlier emulator is brought to the newest schema, with its rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'data.db')
  const earlier = new DatabaseSync(file)
  earlier.exec(`${firstSchema}; PRAGMA user_version = 1;
    INSERT INTO tenants VALUES (1, 'sandbox', 'A');
    INSERT INTO clients (seq, tenant, id, created_at) VALUES (1, 1, 'cli_demo', '');
    INSERT INTO connections (seq, tenant, client, id, institution_id, source, status, created_at, updated_at,
      capabilities, bank_account_id) VALUES (1, 1, 1, 'con_FDE_1', 'ins_fde_ok', 'FDE', 'active', '', '', '{}', '1')`)
  earlier.close()
  const store = openStore(file)
  onTestFinished(() => store.close())
  expect(store.connections.bySeq(1)).toMatchObject({ id: 'con_FDE_1', deleted: 0 })
})
