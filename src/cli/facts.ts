/** What is known about a failure beside its code: the ids, the key and the scope that its next step is filled in with. */
import { contract } from '../contract/contract.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { ApiError } from '../contract/errors.ts'
import type { Scope } from '../contract/scopes.ts'
import type { OperationRef } from '../http/errors.ts'
import type { Circumstances } from './failed-command.ts'

export interface Facts {
  readonly connection: string | undefined
  readonly client: string | undefined
  /** The id the command line names last: what it was about. */
  readonly subject: string | undefined
  readonly environment: string | undefined
  /** First characters of the key in use. */
  readonly key: string | undefined
  /** What the refused operation needs. */
  readonly scope: Scope | undefined
  /** `connections.refresh`; undefined for a failed Operation and for a raw request. */
  readonly operation: string | undefined
  readonly error: ApiError
  readonly retryAfterMs: number | undefined
  /** Whether the command line has a flag. */
  has(flag: string): boolean
  /** A command to run next, in the same environment: `bankapi connections list --env local`. */
  run(words: string): string
  /** The help of the command that failed. */
  readonly help: string
}

export interface FactSources {
  readonly argv: readonly string[]
  readonly error: ApiError
  readonly circumstances?: Circumstances | undefined
  readonly operation?: OperationRef | undefined
  readonly retryAfterMs?: number | undefined
  /** The Connection or Client a failed Operation is about, where the command line does not name it. */
  readonly subject?: string | undefined
}

export function factsOf({ argv, error, circumstances = {}, ...sources }: FactSources): Facts {
  const { operation, retryAfterMs, subject } = sources
  const words = argv.map((word) => (word.startsWith('-') ? word.slice(word.indexOf('=') + 1) : word))
  const ids = [...words, ...(subject === undefined ? [] : [subject])].filter((word) =>
    /^(con|acc|cli|txn|stmt|chk|op|whk|ins)_\S+$/.test(word),
  )
  const flag = flagOf(argv, '--env')
  const suffix = flag === undefined ? '' : ` --env ${flag}`
  return {
    error,
    retryAfterMs,
    connection: ids.findLast((id) => id.startsWith('con_')),
    client: ids.findLast((id) => id.startsWith('cli_')) ?? circumstances.client,
    subject: ids.findLast((id) => !id.startsWith('cli_')) ?? ids.at(-1),
    environment: circumstances.environment ?? flag,
    key: circumstances.key,
    scope: scopeOf(operation),
    operation: operation?.area === undefined ? undefined : `${operation.area}.${operation.name}`,
    has: (name) => argv.some((word) => word === name || word.startsWith(`${name}=`)),
    run: (command) => `bankapi ${command}${suffix}`,
    help: helpOf(argv, circumstances),
  }
}

/** How to see the help of the command that failed; of what the words before the first flag say, when none ran. */
export function helpOf(argv: readonly string[], { command }: Circumstances): string {
  const end = argv.findIndex((word) => !/^[a-z][a-z-]*$/.test(word))
  const words = command ?? argv.slice(0, end === -1 ? 3 : Math.min(end, 3)).join(' ')
  return ['bankapi', words, '--help'].filter((word) => word !== '').join(' ')
}

function flagOf(argv: readonly string[], name: string): string | undefined {
  const at = argv.findLastIndex((word) => word === name || word.startsWith(`${name}=`))
  const word = argv[at]
  return word === name ? argv[at + 1] : word?.slice(name.length + 1)
}

function scopeOf(operation: OperationRef | undefined): Scope | undefined {
  const areas: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = contract
  return areas[operation?.area ?? '']?.[operation?.name ?? '']?.scope ?? undefined
}
