import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { root } from '../support/built-program.ts'
import { createHome } from '../support/cli.ts'
import { freePort } from '../support/free-port.ts'
import { webhooksExample } from '../support/webhooks-page.ts'

const built = join(root, 'dist', 'webhooks.js')
let project: string

/** An integrator's project with the package installed. */
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'bankapi-project-'))
  mkdirSync(join(project, 'node_modules'))
  symlinkSync(root, join(project, 'node_modules', 'bankapi'))
  symlinkSync(join(root, 'node_modules', '@types'), join(project, 'node_modules', '@types'))
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
})
afterAll(() => rmSync(project, { recursive: true }))

/** Turns a module without imports into a script that sets the global `exported`, as contexts run scripts only. */
function asScript(code: string): string {
  return code.replace(/^export \{([^}]*)\};?$/m, (_, names: string) => {
    const members = names.split(',').map((name) => {
      const [local = '', exported = local] = name.trim().split(' as ')
      return `${exported}: ${local}`
    })
    return `globalThis.exported = { ${members.join(', ')} }`
  })
}

it('bankapi/webhooks needs neither Node, nor a package, nor another file', async () => {
  const code = readFileSync(built, 'utf8')
  // Like an edge runtime: only the web's globals, and any import fails.
  const { crypto, TextEncoder, TextDecoder, URL, atob } = globalThis
  const context = createContext({ crypto, TextEncoder, TextDecoder, URL, atob })
  expect(code).not.toMatch(/\bimport\s*[("'{*]|\brequire\s*\(|\bprocess\.|\bBuffer\b/)
  runInContext(asScript(code), context)
  const program = `(async () => {
    const { verifyWebhook, signWebhook } = exported
    const body = new TextEncoder().encode('{"event_id":"evt_1","type":"webhook.test","data":{}}')
    const headers = await signWebhook({ secret: 'whsec_1', body })
    const verdict = await verifyWebhook({ secrets: ['whsec_1'], headers, body })
    return JSON.stringify([verdict.verified, verdict.event.type])
  })()`
  expect(await runInContext(program, context)).toBe('[true,"webhook.test"]')
})

it('has types for every event, under the strictest settings', () => {
  writeFileSync(
    join(project, 'use.ts'),
    `import { explainWebhook, signWebhook, verifyWebhook, type WebhookEvent } from 'bankapi/webhooks'
     export async function handle(request: Request): Promise<Response> {
       const body = new Uint8Array(await request.arrayBuffer())
       const verdict = await verifyWebhook({ secrets: ['whsec_1'], headers: request.headers, body })
       if (!verdict.verified) return new Response(verdict.detail, { status: 401 })
       return new Response(about(verdict.event))
     }
     function about(event: WebhookEvent | undefined): string {
       switch (event?.type) {
         case 'connection.active': return event.data.connection.id
         case 'connection.capability_changed': return event.data.change.current_status
         case 'account.refresh.completed': return String(event.data.account.new_transaction_count + 1)
         case 'statement.available': return event.data.statement.statement_date
         default: return event?.event_id ?? ''
       }
     }
     // @ts-expect-error there is no such event
     export const none = (event: WebhookEvent) => event.type === 'connection.initiated'
     // @ts-expect-error the body is bytes, never parsed JSON
     export const parsed = verifyWebhook({ secrets: ['whsec_1'], headers: {}, body: {} })
     export const headers: Promise<Record<string, string>> = signWebhook({ secret: 'whsec_1', body: '{}' })
     export const why = explainWebhook({ secrets: [], headers: new Headers(), body: new Uint8Array() })`,
  )
  const compilerOptions = {
    ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: false, types: [] },
    ...{ target: 'es2022', lib: ['es2022', 'dom'] },
  }
  for (const [module, moduleResolution] of [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ]) {
    const config = { compilerOptions: { ...compilerOptions, module, moduleResolution }, files: ['use.ts'] }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', project], {
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  }
}, 60_000)

it('the server of docs/receive-webhooks.md runs as it is shown, and verifies', async () => {
  const port = await freePort()
  const secret = 'whsec_docs'
  const code = webhooksExample('js', 'bankapi/webhooks')
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(14)
  writeFileSync(join(project, 'server.js'), code.replace('3000', String(port)))
  const server = spawn(process.execPath, ['server.js'], {
    cwd: project,
    env: { ...process.env, BANKAPI_WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill())
  let said = ''
  server.stdout.on('data', (chunk) => {
    said += chunk
  })
  const home = createHome({ env: { BANKAPI_WEBHOOK_SECRET: secret } })
  const trigger = (...flags: string[]) =>
    home.run(['webhooks', 'trigger', 'connection.active', '--to', `127.0.0.1:${port}`, ...flags])
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined))?.status, {
      timeout: 10_000,
    })
    .toBe(401)
  expect((await trigger()).code).toBe(0)
  expect(said).toContain('con_FDE_123')
  expect((await trigger('--bad-signature')).stdout).toMatch(/^401 /)
  expect((await trigger('--age', '6m')).stdout).toMatch(/^401 /)
  server.kill()
  await once(server, 'exit')
})
