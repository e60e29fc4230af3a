/** Prism compares what clients send to the emulator, and what it answers, with the document. */
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createRandom } from '../../src/emulator/catalog/random.ts'
import { exchange, parseAnswers } from '../support/raw-exchange.ts'
import { type RequestTemplate, requestTemplates } from '../support/request-templates.ts'
import { runningEmulator } from '../support/running-emulator.ts'
import { bytesOf, spoiled } from '../support/spoiled-requests.ts'
import { type ValidatingProxy, validatingProxy } from '../support/validating-proxy.ts'

async function proxied(): Promise<ValidatingProxy & { readonly templates: readonly RequestTemplate[] }> {
  const emulator = await runningEmulator()
  const proxy = await validatingProxy(emulator.sandbox.base_url)
  onTestFinished(() => proxy.close())
  return { ...proxy, templates: await requestTemplates(emulator) }
}

const portOf = ({ baseUrl }: ValidatingProxy) => Number(new URL(baseUrl).port)

async function statusOf(proxy: ValidatingProxy, request: RequestTemplate): Promise<number | undefined> {
  return parseAnswers(await exchange(portOf(proxy), bytesOf(request)), request.method)[0]?.status
}

test('a good request for every operation, and its answer, are as the document says', async () => {
  const proxy = await proxied()
  for (const request of proxy.templates) expect(await statusOf(proxy, request)).toBe(request.success)
  expect(await proxy.violations()).toEqual([])
})

test('so are the answers to spoiled requests', {
  tags: ['slow'],
}, async () => {
  const proxy = await proxied()
  const random = createRandom(17)
  for (let count = 0; count < 600; count += 1)
    await exchange(portOf(proxy), bytesOf(spoiled(random.pick(proxy.templates), random)), { hangUp: true })
  expect((await proxy.violations()).filter((one) => one.of === 'answer')).toEqual([])
})

test('an answer that is not as the document says is found', async () => {
  const service = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').setHeader('X-LS-Trace-Id', 'trace')
    response.end('{"data":[{"name":"no id"}]}')
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void service.close())
  const address = service.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const proxy = await validatingProxy(`http://127.0.0.1:${port}/v3`)
  onTestFinished(() => proxy.close())
  await fetch(`${proxy.baseUrl}/clients?limit=none`)
  const found = (await proxy.violations()).map(({ text }) => text).join('\n')
  expect(found).toContain("must have required property 'has_more'")
  expect(found).toContain("must have required property 'id'")
  expect(found).toContain('limit')
  expect(found).toContain('security')
})
