import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { createHome } from '../support/cli.ts'

it('a request to the service goes through the proxy of HTTPS_PROXY', async () => {
  const heard: string[] = []
  const proxy = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      heard.push(bytes.toString().split('\r\n', 1)[0] ?? '')
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { code } = await createHome().run(['clients', 'list', '--json'], {
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      BANKAPI_BASE_URL: 'https://api.example.test/v3',
      BANKAPI_API_KEY: 'sk_test_1',
    },
  })
  proxy.close()
  expect(heard[0]).toBe('CONNECT api.example.test:443 HTTP/1.1')
  expect(code).toBe(11)
})
