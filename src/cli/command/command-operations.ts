/** Maps operations of the contract to the words of their commands: `accounts.get` to `accounts get`, with few exceptions. */
import { everyEndpoint } from '../../contract/contract.ts'
import { type Endpoint, isEmpty, isFile, successOf } from '../../contract/endpoint.ts'

/** An operation and the words of its command; `command` is null for what is opened in a browser. */
export interface CommandOperation {
  readonly operation: string
  readonly endpoint: Endpoint
  readonly command: string | null
}

/** Operations whose command is not `<area> <name>` in kebab case. */
const exceptions: Readonly<Record<string, string | null>> = {
  'sandbox.institutions': 'institutions sandbox',
  'connectSessions.page': null,
  'keys.updateScopes': 'keys rotate-scopes',
  'portal.createLiveRequest': 'portal live-request create',
  'portal.updateLiveRequest': 'portal live-request update',
  'portal.createAccessRequest': 'portal access-request create',
  'portal.accessRequestStatus': 'portal access-request status',
  'health.check': 'health',
}

/** Every operation of the contract, in its order. */
export function commandOperations(): CommandOperation[] {
  return everyEndpoint().map(({ area, name, endpoint }) => {
    const operation = `${area}.${name}`
    const command = Object.hasOwn(exceptions, operation)
      ? exceptions[operation]
      : `${kebab(area)} ${kebab(name)}`
    return { operation, endpoint, command: command ?? null }
  })
}

/** The operation of a command, given by its words; undefined for a command that uses none, or several. */
export function operationOf(command: string): CommandOperation | undefined {
  return commandOperations().find((row) => row.command === command)
}

/** The keys of what an operation answers, of the items for a list; none where its body has no keys. */
export function answerKeys(endpoint: Endpoint): string[] {
  const { body } = successOf(endpoint)
  if (isFile(body) || isEmpty(body)) return []
  const shape = shapeOf(body)
  return Object.keys(endpoint.paged ? shapeOf(elementOf(shape['data'])) : shape)
}

function shapeOf(schema: unknown): Record<string, unknown> {
  return (schema as { shape?: Record<string, unknown> } | undefined)?.shape ?? {}
}

function elementOf(schema: unknown): unknown {
  return (schema as { element?: unknown } | undefined)?.element
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
