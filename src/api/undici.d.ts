/**
 * The parts of undici that a request needs. The whole package takes 60 ms to load, these take 22. It has no
 * exports map, so its files can be imported; its version is pinned in package.json.
 */
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici'

  const pool: typeof Pool
  export default pool
}

declare module 'undici/lib/api/api-request.js' {
  import type { Dispatcher } from 'undici'
  export default function request(
    this: Dispatcher,
    options: Dispatcher.RequestOptions,
  ): Promise<Dispatcher.ResponseData>
}

declare module 'undici/lib/core/connect.js' {
  import type { buildConnector } from 'undici'

  const build: typeof buildConnector
  export default build
}

declare module 'undici/lib/dispatcher/agent.js' {
  import type { Agent } from 'undici'

  const agent: typeof Agent
  export default agent
}
