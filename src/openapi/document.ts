/** The OpenAPI document of the contract, as data. */
import { assumedShapes, assumptions, operationResults } from '../contract/assumptions.ts'
import type { Contract } from '../contract/contract.ts'
import { apiVersion, basePath } from '../contract/service.ts'
import { codeTable, failureResponses } from './answers.ts'
import { webhookPaths } from './events.ts'
import type { Facts, Recorded } from './facts.ts'
import type { Json } from './json.ts'
import { operationPaths } from './operations.ts'
import { type Overrides, operationsWith } from './overridden.ts'
import { answerHeaders } from './parameters.ts'
import { componentSchemas } from './schemas.ts'
import { securitySchemes } from './security.ts'

export const versions = ['3.1', '3.2'] as const
export type Version = (typeof versions)[number]

export interface DocumentOptions {
  readonly version: Version
  /** Addresses of the service, ending in /v3, in place of the sandbox and production. */
  readonly servers?: readonly string[]
  /** Methods and paths of assumed operations, in place of the contract's. */
  readonly overrides?: Overrides
}

const areas: Readonly<Record<keyof Contract, readonly [title: string, description: string]>> = {
  clients: ['Clients', 'End-users whose bank data is read.'],
  institutions: ['Institutions', 'The catalog of banks.'],
  sandbox: ['Sandbox', 'Helpers that exist in the sandbox only.'],
  connections: ['Connections', 'Links between a Client and a bank.'],
  connectSessions: ['Connect sessions', 'Hosted links with which a user picks and connects a bank.'],
  accounts: ['Accounts', 'Accounts of a Client.'],
  transactions: ['Transactions', 'Transactions of an account.'],
  statements: ['Statements', 'Statements, their files, and what is extracted from a PDF.'],
  checks: ['Checks', 'Images of checks.'],
  operations: ['Operations', 'Work that goes on after its request was answered.'],
  reports: ['Reports', 'Verification reports.'],
  webhooks: ['Webhooks', 'Subscriptions to events.'],
  keys: ['API keys', 'API keys and their scopes.'],
  redirectUrls: ['Redirect URLs', 'The allowlist of redirect URLs.'],
  metrics: ['Metrics', 'Counts of data and deliveries.'],
  portal: ['Portal', 'Applications for access, signed by the developer portal.'],
  health: ['Health', 'The liveness probe.'],
}

/**
 * The document in a version of OpenAPI.
 * @throws UnusableOverride
 */
export function openApiDocument(
  { version, servers, overrides = {} }: DocumentOptions,
  recorded: Recorded,
): Json {
  const is32 = version === '3.2'
  // 3.2 tells the value of an example from the text that stands for it.
  const example = (value: unknown) => (is32 ? { dataValue: value } : { value })
  const facts: Facts = { ...recorded, example }
  const operations = operationsWith(overrides)
  const serversAt = (path: string) =>
    servers
      ? servers.map((url) => ({ url: url.replace(/\/v3\/?$/, path) }))
      : placeholders({ path, named: is32 })
  return {
    openapi: is32 ? '3.2.0' : '3.1.1',
    info: {
      title: 'Bank Data Connection and Retrieval API',
      version: apiVersion,
      summary: 'Links bank accounts, and serves their transactions, statements and checks.',
      description:
        'Made from the contract of bankapi. `x-origin` says of an operation whether the reference shows its method and path (`documented`) or only names it (`assumed`): bankapi takes another one from the setting `endpoints.<area>.<name>`. `x-assumes` has what else is assumed about it, `x-assumptions` what is assumed about the service, `x-assumed-shapes` fields that are, `x-operation-results` what operations end with, `x-error-codes` every code. Amounts are in major units of their currency.',
    },
    servers: servers ? servers.map((url) => ({ url })) : serversAt(basePath),
    tags: [
      ...Object.entries(areas).map(([name, [title, description]]) => tag(name, title, description)),
      tag('events', 'Events', 'Deliveries to the URL of a subscription.'),
    ],
    paths: operationPaths(operations, facts, serversAt('')),
    webhooks: webhookPaths(facts),
    components: {
      securitySchemes,
      schemas: componentSchemas(recorded.comments),
      responses: failureResponses(
        operations.map(({ endpoint }) => endpoint),
        facts,
      ),
      headers: answerHeaders,
      examples: Object.fromEntries(
        Object.entries(recorded.refusals).map(([code, body]) => [code, example(body)]),
      ),
    },
    'x-error-codes': codeTable(),
    'x-assumptions': assumptions,
    'x-assumed-shapes': assumedShapes,
    'x-operation-results': operationResults,
  }

  function tag(name: string, title: string, description: string): Json {
    return { name, ...(is32 ? { summary: title, kind: 'nav' } : {}), description }
  }
}

/** The reference names both bases and gives no address: the host is to be filled in. */
function placeholders({ path, named }: { readonly path: string; readonly named: boolean }): Json[] {
  return (['sandbox', 'live'] as const).map((name) => ({
    url: `https://{host}${path}`,
    ...(named ? { name } : {}),
    description: name === 'sandbox' ? 'Sandbox: data for tests.' : 'Production: real data.',
    variables: {
      host: { default: `${name}.bank-data.example`, description: 'The reference gives no address.' },
    },
  }))
}
