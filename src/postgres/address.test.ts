import { describe, expect, test } from 'vitest'
import { PostgresAddressError, postgresAddress, shownAddress, staysOnMachine } from './address.ts'

describe('an address of Postgres', () => {
  test('has a user, a host, a port and a database', () => {
    expect(postgresAddress('postgres://ana@db.example.com:6432/bank')).toEqual({
      host: 'db.example.com',
      port: 6432,
      database: 'bank',
      user: 'ana',
      tls: false,
    })
    expect(postgresAddress('postgresql://[::1]/b%20k')).toMatchObject({
      host: '::1',
      port: 5432,
      database: 'b k',
      user: undefined,
    })
  })

  test('may name the folder of a Unix socket', () => {
    for (const text of ['postgres:///bank?host=/run/pg', 'postgres://%2Frun%2Fpg/bank']) {
      const address = postgresAddress(text)
      expect(address).toMatchObject({ host: '/run/pg', database: 'bank' })
      expect(staysOnMachine(address)).toBe(true)
    }
  })

  test.each([
    'postgres://ana:s3cret@db.example.com/bank',
    'postgres://ana@db.example.com/bank?password=s3cret',
  ])('with a password is refused, and not repeated: %s', (text) => {
    const refuse = () => postgresAddress(text)
    expect(refuse).toThrow('has a password in it')
    try {
      refuse()
    } catch (error) {
      expect(error).toMatchObject({ exit: 'usage', hint: expect.stringContaining('PGPASSFILE') })
      expect(`${(error as Error).message}${(error as PostgresAddressError).hint}`).not.toContain('s3cret')
    }
  })

  test.each([
    'db.example.com/bank',
    'https://db.example.com/bank',
    'postgres://',
    'postgres:///bank',
    'postgres://db.example.com',
    'postgres://db.example.com/a/b',
    'postgres://db.example.com/bank?options=-cx',
    'postgres://db.example.com/bank?sslmode=no-verify',
    'postgres://db.example.com/%ff',
  ])('that is something else is refused: %s', (text) => {
    expect(() => postgresAddress(text)).toThrow(PostgresAddressError)
  })

  test('cannot turn TLS off beyond this machine', () => {
    expect(() => postgresAddress('postgres://db.example.com/bank?sslmode=disable')).toThrow('turns TLS off')
    expect(postgresAddress('postgres://127.0.0.1/bank?sslmode=disable').tls).toBe(false)
    expect(postgresAddress('postgres://127.0.0.1/bank?sslmode=verify-full').tls).toBe(true)
  })

  test('is shown so that it can be parsed again', () => {
    for (const text of [
      'postgres://ana@db.example.com:6432/bank',
      'postgres://a%40b@[::1]/b%20k',
      'postgres://ana@%2Frun%2Fpg:5433/bank',
    ]) {
      const address = postgresAddress(text)
      expect(shownAddress(address)).toBe(text)
      expect(postgresAddress(shownAddress(address))).toEqual(address)
    }
  })

  test.each(['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', '::', '0.0.0.0'])(
    '%s is not this machine',
    (host) => {
      expect(staysOnMachine({ host })).toBe(false)
    },
  )
})
