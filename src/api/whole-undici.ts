/** All of undici, 60 ms: only the whole can go through a proxy. In the bundle, other imports mean its parts. */
export { Pool, ProxyAgent } from 'undici'
