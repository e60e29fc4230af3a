/** Writes docs/api-coverage.md: every operation of the contract, with its command and whether the emulator answers it. */
import { commandOperations } from '../../src/cli/command/command-operations.ts'
import {
  assumedCodes,
  assumedEventFields,
  assumedPayloads,
  assumedShapes,
  assumptions,
  type OperationResult,
  operationResults,
} from '../../src/contract/assumptions.ts'
import type { Contract } from '../../src/contract/contract.ts'
import { authOf } from '../../src/contract/endpoint.ts'
import { errorCodes } from '../../src/contract/errors.ts'
import { eventTypes } from '../../src/contract/events.ts'
import { connectorPath } from '../../src/contract/service.ts'
import { handlers } from '../../src/emulator/handlers/handlers.ts'

export function coveragePage(): string {
  const rows = commandOperations().map(({ operation, endpoint, command }) => [
    `\`${operation}\``,
    `\`${endpoint.method} ${endpoint.path}\``,
    endpoint.origin,
    command === null ? 'a page, opened in a browser' : `\`bankapi ${command}\``,
    isEmulated(operation) ? 'yes' : 'no',
    authOf(endpoint) === 'bearer' ? (endpoint.scope ?? 'any key') : authOf(endpoint),
    endpoint.assumes ?? '',
  ])
  return `# API coverage

Generated from the contract (\`npm run docs\`). \`origin\` says whether the reference shows the method and path
(\`documented\`) or only names the operation (\`assumed\`); the last column lists what else is assumed where it is
silent. Every assumed path can be changed: \`bankapi config set endpoints.<operation> 'METHOD /path'\`, or
\`'METHOD {root}/path'\` for one beside the \`/v3\` of the base URL.

${table(['operation', 'request', 'origin', 'command', 'emulator', 'scope or authentication', 'assumed'], rows)}

## Error codes

Every code of the contract. A status marked * is assumed; \`-\` stands for codes seen only inside an operation, a Connection
or the desktop app.

${table(['code', 'status', 'the code itself'], codeRows())}

## Events

The types are those of the reference. Of the payload these fields below \`data\` are assumed:

${table(['event', 'payload', 'assumed fields'], eventRows())}

## Payload shapes

Fields of requests and answers that are assumed:

${table(['operation', 'part', 'assumed fields', 'the reference gives'], shapeRows())}

## Operation types and results

What is polled; \`*\` marks an assumed type or kind. The results of \`connection.initiate\` are documented, \`?\` stands behind a
field that may be absent.

${table(['type', 'started by', 'kind of its result', 'assumed fields of its result'], resultRows())}

## Further assumptions

${table(
  ['about', 'assumed', 'because'],
  assumptions.map(({ about, assumed, because }) => [about, assumed, because]),
)}

The AI-assistant connector at \`${connectorPath}\`, beside the base path, is only an address in the reference: its protocol,
tools and sign-in are not shown. The emulator has one, with what is assumed about it above.
`
}

function codeRows(): string[][] {
  const given: Readonly<Record<string, string>> = assumedCodes
  return Object.entries(errorCodes).map(([name, { status, statusOrigin }]) => [
    code(name),
    status === null ? '-' : `${status}${statusOrigin === 'assumed' ? '*' : ''}`,
    given[name] === undefined ? 'documented' : `assumed: the reference gives ${given[name]}`,
  ])
}

function eventRows(): string[][] {
  const fieldsOf: Readonly<Record<string, readonly string[]>> = assumedEventFields
  const whole: readonly string[] = assumedPayloads
  return eventTypes.map((type) => {
    const fields = fieldsOf[type] ?? []
    const payload = whole.includes(type) ? 'assumed' : fields.length > 0 ? 'documented in part' : 'documented'
    return [code(type), payload, list(fields)]
  })
}

function shapeRows(): string[][] {
  return assumedShapes.map(({ operations, part, fields, given }) => [
    list(operations),
    part,
    list(fields),
    given,
  ])
}

function resultRows(): string[][] {
  const star = (origin: 'documented' | 'assumed') => (origin === 'assumed' ? '*' : '')
  return Object.entries<OperationResult>(operationResults).map(
    ([type, { startedBy, typeOrigin, kind, kindOrigin, fields }]) => [
      code(type) + star(typeOrigin),
      code(startedBy),
      code(kind) + star(kindOrigin),
      list(fields),
    ],
  )
}

function list(names: readonly string[]): string {
  return names.map(code).join(', ')
}

function code(text: string): string {
  return `\`${text}\``
}

/** True when the emulator has a handler for the operation. */
export function isEmulated(operation: string): boolean {
  const [area = '', name = ''] = operation.split('.')
  const ofArea: object | undefined = handlers[area as keyof Contract]
  return ofArea !== undefined && Object.hasOwn(ofArea, name)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
