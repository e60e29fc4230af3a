/** A service of refreshes that a test answers one by one, and that counts how many are under way. */
import type { ServerResponse } from 'node:http'
import { hostileServer } from './hostile-server.ts'

export interface SlowRefreshes {
  /** The environment of commands that use it. */
  readonly env: Readonly<Record<string, string>>
  /** Requests, as `POST /v3/connections/con_FDE_1/refresh`, in order. */
  readonly requests: readonly string[]
  /** Refreshes that were sent and are not answered, the oldest first. */
  readonly pending: readonly { readonly id: string; accept(): void; lose(): void }[]
}

/** Operations succeed at their first read. */
export async function slowRefreshes(): Promise<SlowRefreshes> {
  const pending: { id: string; accept(): void; lose(): void }[] = []
  const json = (response: ServerResponse, status: number, body: object) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }
  const server = await hostileServer((response, { method, url = '' }) => {
    const [, id = ''] = /\/(?:connections|operations)\/([^/]+)/.exec(url) ?? []
    if (method === 'GET') {
      const time = '2026-01-01T00:00:00Z'
      json(response, 200, {
        id,
        type: 'account.refresh',
        status: 'succeeded',
        created_at: time,
        completed_at: time,
        result: { kind: 'connection', connection: { id: `con${id.slice(2)}` } },
      })
      return
    }
    const remove = () => {
      const at = pending.indexOf(one)
      if (at !== -1) pending.splice(at, 1)
    }
    const one = {
      id,
      accept() {
        remove()
        const operation_id = `op${id.slice(3)}`
        json(response, 202, {
          operation_id,
          status: 'queued',
          poll_url: `${server.baseUrl}/operations/${operation_id}`,
        })
      },
      lose() {
        remove()
        response.destroy()
      },
    }
    pending.push(one)
  })
  return {
    env: {
      BANKAPI_ENV: 'sandbox',
      BANKAPI_BASE_URL: server.baseUrl,
      BANKAPI_API_KEY: 'sk_test_0123456789abcdef0123456789abcdef01234567',
    },
    requests: server.requests,
    pending,
  }
}
