/** Exports the parts of undici that a request needs, so that they are loaded together, at the first request. */
export { default as request } from 'undici/lib/api/api-request.js'
export { default as buildConnector } from 'undici/lib/core/connect.js'
export { default as Pool } from 'undici/lib/dispatcher/pool.js'
