/** Collects the ids, the key and the scope that the message and the next step of a failure name. */
import type { OperationRef } from '../../api/errors.ts'
import { contract } from '../../contract/contract.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import type { ApiError } from '../../contract/errors.ts'
import type { Scope } from '../../contract/scopes.ts'
import type { CommandContext } from './errors.ts'

export interface Facts {
  readonly connection: string | undefined
  readonly client: string | undefined
  /** The id that the command works on: the last argument or flag that is an id. */
  readonly subject: string | undefined
  readonly environment: string | undefined
  /** First characters of the key in use. */
  readonly key: string | undefined
  /** The scope that the refused operation needs. */
  readonly scope: Scope | undefined
  /** `connections.refresh`; undefined for a failed Operation and for a raw request. */
  readonly operation: string | undefined
  readonly error: ApiError
  readonly retryAfterMs: number | undefined
  /** The user gave a cursor. */
  readonly usesCursor: boolean
  /** The user gave the end of a window, and not its start. */
  readonly lacksFrom: boolean
  /** A command to run next, in the same environment: `bankapi connections list --env local`. */
  run(words: string): string
  /** The help of the command that failed. */
  readonly help: string
}

export interface FactSources {
  readonly error: ApiError
  readonly context?: CommandContext | undefined
  readonly operation?: OperationRef | undefined
  readonly retryAfterMs?: number | undefined
  /** The Connection or Client of a failed Operation, where the command line does not name it. */
  readonly subject?: string | undefined
}

/** Flags whose value is an id. */
const idFlags = ['client', 'institution', 'subscription', 'account', 'connection']

export function factsOf({ error, context = {}, operation, retryAfterMs, subject }: FactSources): Facts {
  const { flags = {}, args = {} } = context
  const given = [...idFlags.map((name) => flags[name]), ...Object.values(args), subject].flat()
  const ids = given.filter((value): value is string => /^[a-z]{2,4}_\S+$/.test(String(value)))
  const suffix = typeof flags['env'] === 'string' ? ` --env ${flags['env']}` : ''
  return {
    error,
    retryAfterMs,
    connection: ids.findLast((id) => id.startsWith('con_')),
    client: ids.findLast((id) => id.startsWith('cli_')) ?? context.client,
    subject: ids.findLast((id) => !id.startsWith('cli_')) ?? ids.at(-1),
    environment: context.environment ?? (flags['env'] as string | undefined),
    key: context.key,
    scope: scopeOf(operation),
    operation: operation?.area === undefined ? undefined : `${operation.area}.${operation.name}`,
    usesCursor: flags['cursor'] !== undefined,
    lacksFrom: flags['to'] !== undefined && flags['from'] === undefined,
    run: (command) => `bankapi ${command}${suffix}`,
    help: helpOf(context),
  }
}

/** How to see the help of the command that failed, or of the program when none ran. */
export function helpOf({ command = '' }: CommandContext): string {
  return ['bankapi', command, '--help'].filter((word) => word !== '').join(' ')
}

function scopeOf(operation: OperationRef | undefined): Scope | undefined {
  const areas: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = contract
  return areas[operation?.area ?? '']?.[operation?.name ?? '']?.scope ?? undefined
}
