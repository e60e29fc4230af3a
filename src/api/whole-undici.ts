/** Exports the whole of undici, which takes 60 ms to load and is needed for a proxy only. */
export { Pool, ProxyAgent } from 'undici'
