/** What a page that a browser loaded from elsewhere can do to the emulator: nothing. */
import { expect, test } from 'vitest'
import { exchange } from '../support/raw-exchange.ts'
import { runningEmulator } from '../support/running-emulator.ts'

const page = { origin: 'https://evil.example' }

test('no preflight is answered with leave, so a page can neither send the header of the controls nor read an answer', async () => {
  const emulator = await runningEmulator()
  const asked = {
    ...page,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'x-bankapi-emulator,authorization',
    'access-control-request-private-network': 'true',
  }
  for (const address of [`${emulator.controlUrl}/reset`, `${emulator.sandbox.base_url}/clients`]) {
    for (const [method, headers] of [
      ['OPTIONS', asked],
      ['POST', page],
    ] as const) {
      const answer = await fetch(address, { method, headers })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      const names = [...answer.headers.keys()]
      expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  }
})

test('what a form can send without asking is refused by every control, and changes nothing', async () => {
  const emulator = await runningEmulator()
  const client = await emulator.post('/clients', { name: 'Ada' })
  for (const path of ['reset', 'advance', 'link', 'trigger', 'faults']) {
    const body = new URLSearchParams({ ms: '1' })
    const { status } = await fetch(`${emulator.controlUrl}/${path}`, { method: 'POST', headers: page, body })
    expect([path, status]).toEqual([path, 403])
  }
  expect(await emulator.get('/clients')).toMatchObject({
    data: expect.arrayContaining([expect.objectContaining({ id: client.id })]),
  })
})

test('bound wider on purpose, any Host is answered', async () => {
  const emulator = await runningEmulator({ host: '0.0.0.0' })
  const request = 'GET /v3/health HTTP/1.1\r\nHost: machine.lan\r\nConnection: close\r\n\r\n'
  const port = Number(new URL(emulator.sandbox.base_url).port)
  expect(String(await exchange(port, Buffer.from(request)))).toMatch(/^HTTP\/1.1 200 /)
})
