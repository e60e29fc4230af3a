/** Resources: a Connection and an account, as the tools tell of them, and pages of the API's reference. */
import type { Scope } from '../contract/scopes.ts'
import { BankapiError } from '../errors.ts'
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
} from '../mcp-sdk.ts'
import { answerOptions, resultOf } from './answer.ts'
import type { Call } from './assistant.ts'
import { bankText, visibleText } from './bank-text.ts'
import type { Outcome } from './call-log.ts'
import { clientOf } from './client-of.ts'
import type { PromptOptions } from './prompts.ts'
import { everyEntry, kinds, pageOf, pages } from './reference.ts'
import type { Answer } from './tool.ts'
import { getConnection } from './tools/get-connection.ts'

/** A resource with an id in its address. */
interface Template {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly addresses: readonly string[]
  readonly scope: Scope
  readonly read: (call: Call, uri: URL) => Promise<Answer<object>>
}

const idOf = (uri: URL) => decodeURIComponent(uri.pathname.slice(1))

const templates: readonly Template[] = [
  {
    name: 'connection',
    title: 'A connection',
    description: "Its status and why, accounts, and this machine's record of it",
    addresses: ['bankapi://connections/{connection_id}'],
    scope: 'read:connections',
    read: (call, uri) => getConnection.run(call, { connection_id: idOf(uri) } as never),
  },
  {
    name: 'account',
    title: 'An account',
    description: 'Type, currency, balances and freshness',
    addresses: ['bankapi://accounts/{account_id}', 'bankapi://accounts/{account_id}{?client_id}'],
    scope: 'read:accounts',
    read: readAccount,
  },
]

async function readAccount(call: Call, uri: URL): Promise<Answer<object>> {
  const client_id = clientOf(call, uri.searchParams.get('client_id') ?? undefined)
  const account = await call.api.accounts.get({ account_id: idOf(uri), client_id }, { signal: call.signal })
  const { name, mask, id, connection_id, source, type, subtype, iso_currency_code } = account
  const { current_balance, available_balance, last_refreshed_at, oldest_transaction_date } = account
  return {
    data: {
      ...{ id, client_id, connection_id, source, type, subtype, currency: iso_currency_code },
      ...{ current_balance, available_balance, last_refreshed_at, oldest_transaction_date },
      ...(call.pii ? { bank_text: bankText({ name, mask }) } : {}),
    },
  }
}

export interface ResourceOptions extends PromptOptions {
  readonly onCall: (outcome: Outcome) => void
  /** Called with an error that is no answer of the service and no misuse: a bug. */
  readonly onBug: (error: unknown) => void
}

/** Those whose scope the key has, and the pages. */
export function registerResources(server: McpServer, options: ResourceOptions): void {
  for (const { addresses, scope, read, name, ...shown } of templates) {
    if (options.lacking.has(scope)) continue
    const metadata = { ...shown, mimeType: 'application/json' }
    for (const [index, address] of addresses.entries()) {
      const template = new ResourceTemplate(address, { list: undefined })
      server.registerResource(
        `${name}${index === 0 ? '' : '_of_client'}`,
        template,
        metadata,
        (uri, _, { mcpReq }) =>
          reading({ name, uri, mimeType: metadata.mimeType }, options, async () => {
            const call = { ...options.assistant, signal: mcpReq.signal, progress: () => {} }
            return jsonOf(options, await read(call, uri))
          }),
      )
    }
  }
  for (const kind of kinds) {
    const uri = `bankapi://reference/${kind}s`
    const metadata = { ...pages[kind], mimeType: 'text/markdown' }
    server.registerResource(`reference_${kind}s`, uri, metadata, (address) =>
      reading({ name: 'reference', uri: address, mimeType: metadata.mimeType }, options, async () =>
        pageOf(kind, await everyEntry()),
      ),
    )
  }
}

function jsonOf({ assistant }: ResourceOptions, answer: Answer<object>): string {
  return JSON.stringify(resultOf(answerOptions(assistant), answer).structuredContent)
}

interface Resource {
  readonly name: string
  readonly uri: URL
  readonly mimeType: string
}

/** Reads one, as a line of the log. @throws ProtocolError with a sentence. */
async function reading(
  { name, uri, mimeType }: Resource,
  { assistant, onCall, onBug }: ResourceOptions,
  read: () => Promise<string>,
): Promise<ReadResourceResult> {
  const started = assistant.clock.elapsed()
  const log = (outcome: string, bytes: number) =>
    onCall({ tool: `resource ${name}`, outcome, ms: Math.round(assistant.clock.elapsed() - started), bytes })
  try {
    const text = await read()
    log('ok', Buffer.byteLength(text))
    return { contents: [{ uri: uri.href, mimeType, text }] }
  } catch (error) {
    if (!(error instanceof BankapiError)) {
      onBug(error)
      throw error
    }
    const { code, message, hint = '' } = assistant.describe(error, {})
    log(code, 0)
    const sentence = visibleText(`${message.replace(/\.$/, '')}. ${hint}`)
    throw error.exit === 'notFound'
      ? new ResourceNotFoundError(uri.href, sentence)
      : new ProtocolError(ProtocolErrorCode.InternalError, sentence)
  }
}
