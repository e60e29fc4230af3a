/** The emulator answers with nothing but what the document says, whatever it is asked. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { everyEndpoint } from '../../src/contract/contract.ts'
import { type Endpoint, successOf } from '../../src/contract/endpoint.ts'
import { type ApiError, ErrorEnvelope, errorCode } from '../../src/contract/errors.ts'
import { refusalsOf } from '../../src/contract/refusals.ts'
import { createRandom } from '../../src/emulator/catalog/random.ts'
import { exchange, parseAnswers } from '../support/raw-exchange.ts'
import { type RequestTemplate, requestTemplates } from '../support/request-templates.ts'
import { type CallOptions, runningEmulator } from '../support/running-emulator.ts'
import { bytesOf, spoiled } from '../support/spoiled-requests.ts'

const endpoints = new Map(everyEndpoint().map(({ area, name, endpoint }) => [`${area}.${name}`, endpoint]))

test('spoiled requests are refused with the codes and statuses of their operation', {
  tags: ['slow'],
}, async () => {
  const emulator = await runningEmulator()
  const port = Number(new URL(emulator.sandbox.base_url).port)
  const random = createRandom(17)
  const templates = await requestTemplates(emulator)
  const undocumented: string[] = []
  const codes = new Set<string>()
  for (let count = 0; count < 1500; count += 1) {
    const request = spoiled(random.pick(templates), random)
    const endpoint = endpoints.get(request.name)
    if (endpoint === undefined || !isFor(endpoint, request)) continue
    const [answer] = parseAnswers(await exchange(port, bytesOf(request), { hangUp: true }), request.method)
    const error = ErrorEnvelope.safeParse(jsonOf(answer?.body)).data?.error
    if (answer === undefined || isUnread(endpoint, answer.status, error)) continue
    if (error !== undefined) codes.add(error.code)
    if (!isDocumented(endpoint, answer.status, error?.code))
      undocumented.push(`${request.name}: ${answer.status} ${error?.code} ${error?.message}`)
  }
  expect(undocumented).toEqual([])
  // It went deep.
  const usual = ['unknown_api_key', 'validation_failed', 'invalid_request', 'not_found', 'payload_too_large']
  expect([...codes]).toEqual(expect.arrayContaining(usual))
})

test('so is what an operation refuses by a rule of its own', async () => {
  const emulator = await runningEmulator()
  const { call, bank, accounts } = emulator
  const { portal_secret } = emulator.sandbox
  const found: [string, string][] = []
  const refuse = async (operation: string, method: string, path: string, options?: CallOptions) => {
    const { status, json } = await call(method, path, options)
    found.push([operation, json.error.code])
    const endpoint = endpoints.get(operation)
    expect(endpoint && isDocumented(endpoint, status, json.error.code)).toBe(true)
  }

  for (const { id } of await accounts('con_FDE_123')) bank(id).close()
  await refuse('connections.refresh', 'POST', '/connections/con_FDE_123/refresh')
  await call('DELETE', '/connections/con_FDE_123')
  await refuse('connections.reauthorize', 'POST', '/connections/con_FDE_123/reauthorize')
  await refuse('sandbox.institutions', 'GET', '/sandbox/institutions', { key: emulator.live.api_key })
  const body = JSON.stringify({ idp_user_id: 'usr_unknown' })
  const signature = createHmac('sha256', portal_secret).update(body).digest('hex')
  await refuse('portal.updateLiveRequest', 'PATCH', '/portal/live-request', {
    body,
    key: null,
    headers: { 'content-type': 'application/json', 'X-Portal-Bootstrap-Signature': signature },
  })
  expect(found).toEqual([
    ['connections.refresh', 'no_refreshable_accounts'],
    ['connections.reauthorize', 'connection_deleted'],
    ['sandbox.institutions', 'live_key_not_allowed'],
    ['portal.updateLiveRequest', 'not_found'],
  ])
})

/** Whether it still has the method and path of the operation that it was made from. */
function isFor({ method, path }: Endpoint, request: RequestTemplate): boolean {
  const pattern = new RegExp(`^/v3${path.replaceAll(/\{\w+\}/g, '[^/?#;]+')}(?:\\?|$)`)
  return request.method === method && pattern.test(request.target)
}

/** Refused before an operation saw it, which the document's `default` stands for: no HTTP, another host, no JSON. */
function isUnread(endpoint: Endpoint, status: number, error: ApiError | undefined): boolean {
  if ([405, 408, 415, 431].includes(status) || error?.param === 'Host') return true
  const takesBody = endpoint.body !== undefined || endpoint.upload !== undefined
  return unread.test(error?.message ?? '') && !takesBody
}
const unread = /^The (?:request could not be read|body is not JSON)/

function isDocumented(endpoint: Endpoint, status: number, code: string | undefined): boolean {
  if (code === undefined) return status === successOf(endpoint).status || isPage(endpoint, status)
  return errorCode(code)?.status === status && (refusalsOf(endpoint) as string[]).includes(code)
}

/** An invalid link is a page of its own. */
function isPage({ path }: Endpoint, status: number): boolean {
  return path === '/connect-session' && status === 404
}

function jsonOf(body: string | undefined): unknown {
  try {
    return JSON.parse(body ?? '')
  } catch {
    return undefined
  }
}
