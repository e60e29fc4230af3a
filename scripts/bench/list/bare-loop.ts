/** Reads every page and prints its rows, without retries, checks or a search for duplicates: the minimum to compare with. */
import { request } from 'undici'

const { BASE_URL = '', API_KEY = '', ACCOUNT = '' } = process.env

let cursor: string | undefined
do {
  const query = new URLSearchParams({ client_id: 'cli_demo', limit: '500', ...(cursor ? { cursor } : {}) })
  const answer = await request(`${BASE_URL}/accounts/${ACCOUNT}/transactions?${query}`, {
    headers: { authorization: `Bearer ${API_KEY}` },
  })
  const page = (await answer.body.json()) as { data: object[]; next_cursor: string | null; has_more: boolean }
  process.stdout.write(page.data.map((row) => `${JSON.stringify(row)}\n`).join(''))
  cursor = page.has_more ? (page.next_cursor ?? undefined) : undefined
} while (cursor !== undefined)
