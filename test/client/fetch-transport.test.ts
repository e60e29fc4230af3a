/** The tests of test/api/ again, with fetch in place of undici; a proxy is for the CLI alone. */
import { describe } from 'vitest'
import { fetchTransport } from '../../src/api/fetch-transport.ts'
import { transport } from '../api/client.ts'

transport.create = (options) => fetchTransport({ ...options, fetch: globalThis.fetch })
// fetch decompresses what there is, and does not tell that it is not all.
transport.cutInGzip = 'not_json'

// Each has hooks of its own.
describe('answers', async () => void (await import('../api/answers.test.ts')))
describe('debug log', async () => void (await import('../api/debug-log.test.ts')))
describe('failures', async () => void (await import('../api/failures.test.ts')))
describe('files', async () => void (await import('../api/files.test.ts')))
describe('hostile', async () => void (await import('../api/hostile.test.ts')))
describe('pages', async () => void (await import('../api/pages.test.ts')))
describe('raw', async () => void (await import('../api/raw.test.ts')))
describe('requests', async () => void (await import('../api/requests.test.ts')))
describe('retries', async () => void (await import('../api/retries.test.ts')))
