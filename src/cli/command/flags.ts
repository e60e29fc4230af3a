/** Flags and arguments that several commands share, each declared once. Schemas are loaded when a value is checked. */
import { Args, Flags } from '@oclif/core'
import type { EventType } from '../../contract/events.ts'
import { type DocumentFormat, documentFormats, isStreamed } from '../../output/document.ts'
import { UsageError } from '../errors/errors.ts'
import { parseDuration } from './duration.ts'
import type { PointInTime } from './point-in-time.ts'

const output = 'OUTPUT'
const service = 'SERVICE'

/** Of what this machine keeps, which is read into memory. */
const MAX_LOCAL_ROWS = 10_000

/** On every command: the format of the result. */
export const outputFlags = {
  json: Flags.boolean({ summary: 'Print JSON, as the API spells it', helpGroup: output }),
  output: Flags.option({
    char: 'o',
    summary: 'Print in another format',
    options: documentFormats,
    exclusive: ['json'],
    helpGroup: output,
  })(),
  jq: Flags.string({ summary: 'Filter the JSON with a jq expression', helpValue: 'EXPR', helpGroup: output }),
  columns: Flags.string({
    summary: 'Columns to show, separated by commas; without a value, lists them',
    helpValue: 'a,b',
    helpGroup: output,
  }),
  quiet: Flags.boolean({
    char: 'q',
    summary: 'Write no progress, hints or banners to stderr; warnings and errors stay',
    helpGroup: output,
  }),
  utc: Flags.boolean({ summary: 'Show times in UTC instead of local time', helpGroup: output }),
  debug: Flags.boolean({
    summary: 'Log each request to stderr, without secrets',
    env: 'BANKAPI_DEBUG',
    helpGroup: output,
  }),
}

/** On every command that works in an environment. */
export const serviceFlags = {
  env: Flags.string({
    summary: 'Environment: local (the emulator), sandbox, live, or a profile of yours',
    helpValue: 'local|sandbox|live|NAME',
    helpGroup: service,
  }),
  'base-url': Flags.string({
    summary: 'Address of the service, ending in /v3',
    helpValue: 'URL',
    helpGroup: service,
  }),
}

/** On every list. */
export const listFlags = {
  limit: Flags.integer({
    summary: 'Rows at most (default 100; with --all, -o csv and -o ndjson no limit)',
    min: 1,
  }),
  cursor: Flags.string({ summary: 'Start at the next_cursor of the page before', exclusive: ['all'] }),
  all: Flags.boolean({ summary: 'Read every page, as -o csv and -o ndjson do' }),
}

/** On lists of what this machine keeps. */
export const localLimitFlag = Flags.integer({
  summary: `Rows at most (default 100; with -o csv and -o ndjson ${MAX_LOCAL_ROWS})`,
  min: 1,
  max: MAX_LOCAL_ROWS,
})

export function localLimit(limit: number | undefined, format: DocumentFormat | undefined): number {
  return limit ?? (isStreamed(format) ? MAX_LOCAL_ROWS : 100)
}

/** Where the hosted pages send the user afterwards. */
export const redirectUrlFlag = Flags.custom<string>({
  summary: 'Where the user goes afterwards; has to be on the redirect allowlist exactly',
  helpValue: 'URL',
  parse: async (text) => {
    const { assertRedirectUrl } = await import('./redirect-url.ts')
    return assertRedirectUrl(text)
  },
})

export const clientFlag = Flags.string({
  summary: 'Client (end-user) to act for; BANKAPI_CLIENT_ID and the settings give a default',
  helpValue: 'cli_…',
})

/** The Clients of a command that can act for several; the default of `--client` is not among them. */
export const clientsFlag = Flags.custom<string[]>({
  helpValue: 'cli_…',
  multiple: true,
  // Otherwise it would take the arguments after it.
  multipleNonGreedy: true,
})

/** A length of time; the value is milliseconds. */
export const duration = Flags.custom<number>({
  parse: async (text) => parseDuration(text),
  helpValue: 'DURATION',
})

/** A time that something may take: never none. */
export const timeLimit = Flags.custom<number>({
  parse: async (text) => {
    const limit = parseDuration(text)
    if (limit > 0) return limit
    throw new UsageError(`"${text}" leaves no time`, { hint: 'Write it like 500ms, 30s or 2m' })
  },
  helpValue: 'DURATION',
})

/** On commands that start something and can wait for it. */
export const waitFlags = {
  wait: Flags.boolean({ summary: 'Wait until it is done' }),
  timeout: duration({ summary: 'With --wait: give up after this long (default 5m)' }),
}

/** Milliseconds that a wait lasts without --timeout. */
export const DEFAULT_TIMEOUT_MS = 5 * 60_000

/** On commands that delete, revoke, overwrite or may bill. */
export const yesFlag = Flags.boolean({ char: 'y', summary: 'Do not ask' })

/** A required argument that is read from the command line only, never from stdin. */
export function idArg(options: { readonly summary: string; readonly prefix: string }) {
  return Args.string({ ...idOptions(options), required: true })
}

/** As `idArg`, and may be left out. */
export function optionalIdArg(options: { readonly summary: string; readonly prefix: string }) {
  return Args.string(idOptions(options))
}

function idOptions({ summary, prefix }: { readonly summary: string; readonly prefix: string }) {
  return {
    description: summary,
    ignoreStdin: true,
    parse: async (text: string) => checkPrefix(text, prefix),
  } as const
}

/** Any Connection id but a placeholder, which is refused with an explanation, before any request. */
export function connectionArg() {
  return Args.string({
    description: 'Connection, con_<SOURCE>_<bankAccountId>',
    required: true,
    ignoreStdin: true,
    parse: async (text) => refusePlaceholder(text),
  })
}

/** Any number of them; the command says what none means. */
export function connectionArgs() {
  return Args.string({
    description: 'Connection, con_<SOURCE>_<bankAccountId>; more than one may be given',
    multiple: true,
    ignoreStdin: true,
    parse: async (text) => refusePlaceholder(text),
  })
}

export const connectionFlag = Flags.custom<string>({
  summary: 'Connection, con_<SOURCE>_<bankAccountId>',
  helpValue: 'con_…',
  parse: async (text) => refusePlaceholder(text),
})

/** Any number of ids, read from the command line only, never from stdin. */
export function idsArg(options: { readonly summary: string; readonly prefix: string }) {
  return Args.string({
    description: options.summary,
    multiple: true,
    ignoreStdin: true,
    parse: async (text) => checkPrefix(text, options.prefix),
  })
}

function checkPrefix(text: string, prefix: string): string {
  if (text.startsWith(prefix) && text.length > prefix.length) return text
  throw new UsageError(`"${text}" is not an id of this kind: it has to start with ${prefix}`, {
    code: 'invalid_id',
  })
}

/** @throws UsageError for what is no id of a Connection, and for a placeholder, which is explained. */
export async function refusePlaceholder(text: string): Promise<string> {
  const { connectionIdForm } = await import('../../contract/ids.ts')
  if (connectionIdForm(text) === 'placeholder') {
    throw new UsageError(
      `${text} is a placeholder: valid only for the widget step, until the user has finished it`,
      {
        code: 'placeholder_connection',
        hint: 'The canonical id, con_<SOURCE>_<bankAccountId>, comes with the connection.active webhook or from: bankapi connections list --client cli_…',
      },
    )
  }
  return checkPrefix(text, 'con_')
}

/** A point in time as a calendar date, YYYY-MM-DD: `yesterday`, `7d`, `2026-01-31`. */
export const dateFlag = Flags.custom<string>({
  helpValue: 'DATE',
  parse: async (text) => (await pointInTime(text)).date,
})

/** A point in time as an ISO-8601 timestamp. */
export const timeFlag = Flags.custom<string>({
  helpValue: 'TIME',
  parse: async (text) => new Date((await pointInTime(text)).at).toISOString(),
})

/** A point in time in Unix milliseconds. */
export const sinceFlag = Flags.custom<number>({
  helpValue: 'TIME',
  parse: async (text) => (await pointInTime(text)).at,
})

async function pointInTime(text: string): Promise<PointInTime> {
  const { parsePointInTime } = await import('./point-in-time.ts')
  return parsePointInTime(text, Date.now())
}

/** Event types separated by commas, each checked against the catalog. */
export const eventsFlag = Flags.custom<EventType[]>({
  helpValue: 'TYPE,TYPE',
  parse: async (text) => {
    const { EventType, eventTypes } = await import('../../contract/events.ts')
    const names = text.split(',').map((name) => name.trim())
    const unknown = names.filter((name) => !EventType.safeParse(name).success)
    if (unknown.length === 0) return names as EventType[]
    throw new UsageError(`There is no event type ${unknown.join(', ')}`, {
      code: 'unknown_event_type',
      hint: `Event types: ${eventTypes.join(', ')}`,
    })
  },
})

/** Scopes separated by commas, not checked: a key may have some that the contract does not know. */
export const keyScopesFlag = Flags.custom<string[]>({
  helpValue: 'SCOPE,SCOPE',
  parse: async (text) => [...new Set(text.split(',').map((name) => name.trim()))],
})

/** Scopes separated by commas, each checked against the contract. */
export const scopesFlag = Flags.custom<string[]>({
  helpValue: 'SCOPE,SCOPE',
  parse: async (text) => {
    const names = text.split(',').map((name) => name.trim())
    await assertScopes(names)
    return names
  },
})

/** @throws UsageError for a scope that neither the contract nor the key (`current`) has: the service would reject it. */
export async function assertScopes(names: readonly string[], current: readonly string[] = []): Promise<void> {
  const { scopes, unknownScopes } = await import('../../contract/scopes.ts')
  const unknown = unknownScopes(names).filter((name) => !current.includes(name))
  if (unknown.length === 0) return
  throw new UsageError(`There is no scope ${unknown.join(', ')}`, {
    code: 'unknown_scope',
    hint: `Scopes: ${scopes.join(', ')}`,
  })
}
