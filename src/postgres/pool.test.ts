import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { postgresServer, whyNoPostgres } from '../../test/support/postgres.ts'
import { type PostgresAddress, postgresAddress } from './address.ts'
import { openPool } from './pool.ts'
import { postgresTrouble } from './trouble.ts'

const missing = whyNoPostgres()

function pool(address: PostgresAddress, env: Record<string, string> = {}, queryTimeoutMs?: number) {
  const opened = openPool(address, { applicationName: 'bankapi test', max: 2, env, queryTimeoutMs })
  onTestFinished(() => opened.end())
  return opened
}

const troubleOf = (query: Promise<unknown>, address?: PostgresAddress) =>
  query.then(
    () => undefined,
    (error: unknown) => postgresTrouble(error, address),
  )

describe.skipIf(missing !== undefined)(`connections to Postgres ${missing ?? ''}`, async () => {
  const server = missing === undefined ? await postgresServer() : undefined
  const database = async () => postgresAddress((await server?.database()) ?? '')

  test('carry the name of the application, and their user may be in PGUSER', async () => {
    const address = await database()
    const { rows } = await pool({ ...address, user: undefined }, { PGUSER: 'postgres' }).query(
      'SELECT current_user AS name, application_name AS application FROM pg_stat_activity WHERE pid = pg_backend_pid()',
    )
    expect(rows).toEqual([{ name: 'postgres', application: 'bankapi test' }])
  })

  test('that are lost are a sentence, and opened again', async () => {
    const address = await database()
    const used = pool(address)
    await used.query('SELECT 1')
    const sleeping = troubleOf(used.query('SELECT pg_sleep(60)'), address)
    await used.query('SELECT 1')
    await server?.stop('immediate')
    const lost = await sleeping
    expect(lost).toMatchObject({ code: 'postgres_unreachable', exit: 'unreachable' })
    expect(lost?.message).toBe(
      `The database postgres://postgres@127.0.0.1:${server?.port}/${address.database} cannot be reached, or the connection to it was lost.`,
    )
    expect(await troubleOf(used.query('SELECT 1'))).toMatchObject({ code: 'postgres_unreachable' })
    await server?.start()
    expect((await used.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  test('use TLS, or none, as the address says: on loopback it may be left out', async () => {
    const address = await database()
    expect(await troubleOf(pool({ ...address, tls: true }).query('SELECT 1'))).toMatchObject({
      code: 'postgres_tls',
    })
    // A host name that is not known to be this machine: PGSSLMODE cannot turn TLS off.
    process.env['PGSSLMODE'] = 'disable'
    onTestFinished(() => {
      delete process.env['PGSSLMODE']
    })
    const elsewhere = { ...address, host: '::ffff:127.0.0.1' }
    expect(await troubleOf(pool(elsewhere).query('SELECT 1'))).toMatchObject({ code: 'postgres_tls' })
    expect(() => pool(elsewhere, { PGSSLROOTCERT: '/nowhere' })).toThrow('PGSSLROOTCERT')
  })

  test('verify the certificate: its authority, and that it is of this host', async () => {
    const address = { ...(await database()), tls: true }
    const admin = pool({ ...address, tls: false })
    const folder = mkdtempSync(join(tmpdir(), 'bankapi-certificate-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    /** Makes the server answer with a certificate for a name, and returns the variable that trusts it. */
    const certified = async (name: string) => {
      const request = `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test -addext subjectAltName=${name}`
      await admin.query(`COPY (SELECT 1) TO PROGRAM '${request} -keyout server.key -out server.crt 2>&1'`)
      await admin.query('ALTER SYSTEM SET ssl = on')
      await server?.stop()
      await server?.start()
      const { rows } = await admin.query("SELECT pg_read_file('server.crt') AS certificate")
      const path = join(folder, `${name.replaceAll(/\W/g, '_')}.pem`)
      writeFileSync(path, String(rows[0]?.certificate))
      return { PGSSLROOTCERT: path }
    }
    const right = await certified('IP:127.0.0.1')
    const { rows } = await pool(address, right).query(
      'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
    )
    expect(rows).toEqual([{ ssl: true }])
    expect(await troubleOf(pool(address).query('SELECT 1'))).toMatchObject({ code: 'postgres_tls' })
    const ofAnother = await certified('DNS:localhost')
    expect(await troubleOf(pool(address, ofAnother).query('SELECT 1'))).toMatchObject({
      code: 'postgres_tls',
    })
    expect(await troubleOf(pool(address, right).query('SELECT 1'))).toMatchObject({ code: 'postgres_tls' })
  })

  test('take the password from PGPASSWORD or from the file that PGPASSFILE names', async () => {
    const address = { ...(await database()), user: 'locked' }
    const admin = pool({ ...address, user: 'postgres' })
    await admin.query("CREATE ROLE locked LOGIN PASSWORD 's3cret'")
    await admin.query(
      `COPY (SELECT 1) TO PROGRAM 'sed -i "1i host all locked 127.0.0.1/32 scram-sha-256" pg_hba.conf'`,
    )
    await admin.query('SELECT pg_reload_conf()')
    const attempt = (env: Record<string, string>) => troubleOf(pool(address, env).query('SELECT 1'), address)
    const refused = { code: 'postgres_not_authenticated', exit: 'notAuthenticated' }
    await expect.poll(() => attempt({ PGPASSWORD: 'wrong' })).toMatchObject(refused)
    expect(await attempt({})).toMatchObject(refused)
    expect(await attempt({ PGPASSWORD: 's3cret' })).toBeUndefined()
    const folder = mkdtempSync(join(tmpdir(), 'bankapi-pgpass-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'pgpass')
    writeFileSync(file, '127.0.0.1:*:*:locked:s3cret\n', { mode: 0o600 })
    expect(await attempt({ PGPASSFILE: file })).toBeUndefined()
    chmodSync(file, 0o644)
    expect(await attempt({ PGPASSFILE: file })).toMatchObject({
      message: 'The Postgres address has its password in a file that others can read.',
    })
  })

  test('explain a missing database, a missing permission, a read-only one, a lock and a slow answer', async () => {
    const address = await database()
    const used = pool(address)
    expect(await troubleOf(pool({ ...address, database: 'none' }).query('SELECT 1'))).toMatchObject({
      code: 'postgres_no_database',
      exit: 'usage',
    })
    await used.query('CREATE TABLE kept (id int); CREATE ROLE reader LOGIN')
    expect(await troubleOf(pool({ ...address, user: 'reader' }).query('SELECT * FROM kept'))).toMatchObject({
      code: 'postgres_not_allowed',
      exit: 'notAllowed',
    })
    expect(await troubleOf(used.query('BEGIN READ ONLY; INSERT INTO kept VALUES (1)'))).toMatchObject({
      code: 'postgres_read_only',
    })
    expect(await troubleOf(used.query('SET statement_timeout = 1; SELECT pg_sleep(9)'))).toMatchObject({
      code: 'postgres_busy',
    })
    expect(await troubleOf(pool(address, {}, 20).query('SELECT pg_sleep(9)'))).toMatchObject({
      code: 'postgres_unreachable',
    })
  })

  test('do not explain what is wrong in our own SQL', async () => {
    const error = await pool(await database())
      .query('SELEC 1')
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Error)
    expect(postgresTrouble(error)).toBeUndefined()
  })
})

test.each([
  ['28P01', 'postgres_not_authenticated'],
  ['53100', 'postgres_full'],
  ['53300', 'postgres_busy'],
  ['57P03', 'postgres_unreachable'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'postgres_tls'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'postgres_tls'],
  ['ENOTFOUND', 'postgres_unreachable'],
])('an error with the code %s is %s', (code, expected) => {
  expect(postgresTrouble(Object.assign(new Error('told by the server'), { code }))).toMatchObject({
    code: expected,
    message: expect.not.stringContaining('told by the server'),
  })
})
