import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { postgresAddress } from './address.ts'
import { passwordInFile } from './password-file.ts'

const lines = String.raw`
# db.example.com:5432:bank:ana:commented
db.example.com:5432:bank:ana:of ana
db.example.com:*:*:bob:a:b\:c\\d
\:\:1:5432:bank:ana:six
*:5432:bank:short
localhost:5432:bank:ana:of the socket
*:*:*:carl:anywhere
`

test.each([
  ['postgres://db.example.com/bank', 'ana', 'of ana'],
  ['postgres://db.example.com/other', 'ana', undefined],
  ['postgres://db.example.com:6432/other', 'bob', String.raw`a:b:c\d`],
  ['postgres://[::1]/bank', 'ana', 'six'],
  ['postgres:///bank?host=/run/pg', 'ana', 'of the socket'],
  ['postgres://elsewhere/bank', 'carl', 'anywhere'],
  ['postgres://elsewhere/bank', 'dora', undefined],
])('the password for %s and %s', (address, user, expected) => {
  const HOME = mkdtempSync(join(tmpdir(), 'bankapi-pgpass-'))
  onTestFinished(() => rmSync(HOME, { recursive: true }))
  writeFileSync(join(HOME, '.pgpass'), lines, { mode: 0o600 })
  expect(passwordInFile(postgresAddress(address), user, { HOME })).toBe(expected)
})

test('there is none without a file', () => {
  const env = { PGPASSFILE: '/nowhere/pgpass' }
  expect(passwordInFile(postgresAddress('postgres://127.0.0.1/bank'), 'ana', env)).toBeUndefined()
})
