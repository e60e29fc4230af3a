/** `--client`: what a run does for the Clients that were chosen, and what it says of those that nobody knows. */
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startEmulator } from '../../src/emulator.ts'
import { forgetClient } from '../../src/sync/forget.ts'
import { mirrorStatus } from '../../src/sync/status.ts'
import { temporaryFolder } from '../support/machine.ts'
import { openedMirror, synced } from '../support/mirrors.ts'

const crowd = { clients: 1, accounts: 1, transactions: 3 }
const other = 'cli_crowd_000001'
const newMirror = () => openedMirror(join(temporaryFolder(), 'mirror.sqlite'))

describe('a Client that was chosen and nobody knows', () => {
  test('is named, and the others are read', async () => {
    await using emulator = await startEmulator({ crowd })
    const mirror = await newMirror()
    expect(await synced(mirror, emulator, { clients: [other, 'cli_typo'] })).toMatchObject({
      outcome: 'failed',
      clients: 1,
      failed: [{ kind: 'clients', subject: 'cli_typo', code: 'unknown_client' }],
    })
  })

  test('fails the run when no other was chosen, with exit code 5', async () => {
    await using emulator = await startEmulator({ crowd })
    const mirror = await newMirror()
    await expect(synced(mirror, emulator, { clients: ['cli_typo', 'cli_typi'] })).rejects.toMatchObject({
      code: 'unknown_client',
      exit: 'notFound',
      message: expect.stringMatching(/cli_typo.*cli_typi/),
    })
    expect(await mirror.db.selectFrom('runs').select('outcome').execute()).toEqual([{ outcome: 'failed' }])
  })

  test('is said to be forgotten when it is', async () => {
    await using emulator = await startEmulator({ crowd })
    const mirror = await newMirror()
    await synced(mirror, emulator)
    await forgetClient(mirror, { clientId: other, folder: undefined, now: Date.now() })
    expect(await synced(mirror, emulator, { clients: ['cli_demo', other] })).toMatchObject({
      outcome: 'failed',
      failed: [{ subject: other, code: 'client_forgotten' }],
    })
    await expect(synced(mirror, emulator, { clients: [other] })).rejects.toMatchObject({
      code: 'client_forgotten',
      exit: 'notFound',
    })
  })
})

describe('only the Clients that were chosen', () => {
  test('are stored in a new mirror, which is fresh then; a whole run adds the others', async () => {
    await using emulator = await startEmulator({ crowd })
    const mirror = await newMirror()
    await synced(mirror, emulator, { clients: [other] })
    expect(await mirror.db.selectFrom('clients').select('id').execute()).toEqual([{ id: other }])
    const status = await mirrorStatus(mirror, { now: Date.now(), maxAgeMs: 3_600_000, limit: 10 })
    expect([status.state, status.clients.map(({ state }) => state)]).toEqual(['fresh', ['fresh']])
    // The list of Clients was not read for the mirror.
    expect(status.kinds[0]).toMatchObject({ kind: 'clients', state: 'unfinished', streams: 0, rows: 1 })
    expect(await synced(mirror, emulator)).toMatchObject({ clients: 2, counts: { clients: { new: 1 } } })
    const whole = await mirrorStatus(mirror, { now: Date.now(), maxAgeMs: 3_600_000, limit: 10 })
    expect([whole.state, whole.kinds[0]?.state]).toEqual(['fresh', 'fresh'])
  })
})
