/** Makes an emulator the service of an operator: 50 Connections of 12 Clients, 17 of them broken, in every way the emulator knows. */

/** How each of the broken ones is made: its institution, and what happens to it once it is linked. */
interface Break {
  readonly institution: string
  /** Days before the morning on which it is linked. */
  readonly daysBefore: number
  readonly after?: 'refresh' | 'delete' | { readonly type: string; readonly code: string }
}

const breaks: readonly Break[] = [
  { institution: 'ins_a_mfa', daysBefore: 4 },
  { institution: 'ins_a_silent', daysBefore: 4 },
  { institution: 'ins_a_stops', daysBefore: 4 },
  { institution: 'ins_b_denied', daysBefore: 4 },
  { institution: 'ins_b_locked', daysBefore: 4 },
  { institution: 'ins_b_closed', daysBefore: 4 },
  { institution: 'ins_b_partial', daysBefore: 4 },
  { institution: 'ins_fde_mfa', daysBefore: 4 },
  { institution: 'ins_fde_refused', daysBefore: 4 },
  { institution: 'ins_fde_stops', daysBefore: 4 },
  { institution: 'ins_fde_choice', daysBefore: 4 },
  // A refresh shows that the desktop app is missing.
  { institution: 'ins_fde_desktop', daysBefore: 4, after: 'refresh' },
  { institution: 'ins_b_ok', daysBefore: 4, after: 'delete' },
  {
    institution: 'ins_a_moved',
    daysBefore: 1,
    after: { type: 'connection.requires_action', code: 'credentials_invalid' },
  },
  // Three observations are believed; two more would show that it recovered.
  { institution: 'ins_b_flaky', daysBefore: 3 },
  {
    institution: 'ins_fde_ok',
    daysBefore: 0,
    after: { type: 'connection.failed', code: 'source_internal_error' },
  },
  // The next daily refresh would find it recovered.
  { institution: 'ins_a_down', daysBefore: 0 },
]

const works = ['ins_a_ok', 'ins_b_ok', 'ins_fde_ok']
const CLIENTS = 12
const CONNECTIONS = 50

export interface Morning {
  /** Ids of the broken ones, by the institution. */
  readonly broken: ReadonlyMap<string, string>
  /** Ids of all. */
  readonly connections: readonly string[]
}

/** Makes it through the API and the controls of a fresh emulator, whose clock is four days later then. */
export async function makeMorning(base: {
  readonly base_url: string
  readonly api_key: string
}): Promise<Morning> {
  const control = new URL('/_emulator/', base.base_url)
  // biome-ignore lint/suspicious/noExplicitAny: the answers of an emulator
  const send = async (url: URL | string, init: RequestInit): Promise<any> => {
    const response = await fetch(url, {
      ...init,
      headers: {
        ...init.headers,
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
    })
    if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
    return response.status === 204 ? undefined : response.json()
  }
  const call = (method: string, path: string, body?: unknown) =>
    send(`${base.base_url}${path}`, {
      method,
      headers: { authorization: `Bearer ${base.api_key}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const order = (path: string, body: unknown) =>
    send(new URL(path, control), {
      method: 'POST',
      headers: { 'x-bankapi-emulator': '1' },
      body: JSON.stringify(body),
    })
  const advance = (ms: number) => order('advance', { ms })
  const link = async (client: string, institution_id: string): Promise<string> => {
    const { operation_id } = await call('POST', `/clients/${client}/connections`, { institution_id })
    await advance(200)
    const { result } = await call('GET', `/operations/${operation_id}`)
    const { connection_id } = await order('link', { connection_id: result.connection.id })
    return connection_id
  }

  const clients = ['cli_demo']
  for (let number = 2; number <= CLIENTS; number++) {
    const { id } = await call('POST', '/clients', {
      name: `Client ${number}`,
      email: `client${number}@example.com`,
      external_id: `user-${100 + number}`,
    })
    clients.push(id)
  }
  const connections: string[] = (await call('GET', '/clients/cli_demo/connections')).data.map(
    ({ id }: { id: string }) => id,
  )
  const broken = new Map<string, string>()
  let next = 0
  const nextClient = () => clients[1 + (next++ % (CLIENTS - 1))] ?? 'cli_demo'
  for (let number = connections.length; number < CONNECTIONS - breaks.length; number++) {
    connections.push(await link(nextClient(), works[number % works.length] ?? 'ins_a_ok'))
  }
  for (let daysBefore = 4; daysBefore >= 0; daysBefore--) {
    for (const { institution, after } of breaks.filter((one) => one.daysBefore === daysBefore)) {
      const id = await link(nextClient(), institution)
      connections.push(id)
      broken.set(after === 'delete' ? 'deleted' : institution, id)
      if (after === undefined) continue
      await advance(5000)
      if (after === 'refresh') await call('POST', `/connections/${id}/refresh`)
      else if (after === 'delete') await call('DELETE', `/connections/${id}`)
      else await order('trigger', { connection: id, ...after })
    }
    await advance(daysBefore === 0 ? 5000 : 86_400_000)
  }
  return { broken, connections }
}
