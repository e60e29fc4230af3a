/** The settings there are, and the checks of their values. */
import * as z from 'zod'
import { postgresFault } from '../postgres/address.ts'
import { fault } from './base-url.ts'
import { type Environment, isBuiltIn } from './environments.ts'
import { ConfigError, closest } from './errors.ts'

/** Every environment there is, profiles included: some names and values are those of environments. */
type Environments = readonly Environment[]

/** One setting, or several with a common form: the dotted name, `<…>` for what varies, and the schema of the value. */
interface SettingKey {
  readonly name: string
  readonly about: string
  /** A function, so that the schema is made only when a value is checked. */
  readonly value: (environments: Environments) => z.ZodType<string | boolean>
}

const oneLine = () => z.string().regex(/^[^\p{Cc}]+$/u, 'must be one line of text')
const flag = () => z.union([z.boolean(), z.stringbool()], 'must be true or false')

/** Every setting, as errors, `config list` and the docs show it. */
export const settingKeys: readonly SettingKey[] = [
  {
    name: 'default_environment',
    about: 'environment used without --env and BANKAPI_ENV',
    value: (environments) => {
      const names = environments.map(({ name }) => name)
      return z.enum(names, `must be one of ${names.join(', ')}`)
    },
  },
  {
    name: 'environments.<env>.base_url',
    about: 'address of the service, ending in /v3',
    value: () =>
      z.string().check((context) => {
        const reason = fault(context.value)
        if (reason !== undefined) context.issues.push({ code: 'custom', message: reason, input: '' })
      }),
  },
  { name: 'environments.<env>.client_id', about: 'client used without --client', value: oneLine },
  {
    name: 'environments.<profile>.mode',
    about: 'sandbox or live; set by bankapi config profile add',
    value: () => z.enum(['sandbox', 'live'], 'must be sandbox or live'),
  },
  {
    name: 'environments.<env>.<setting>',
    about: 'any setting below, for this environment alone: environments.acme.sync.to',
    value: oneLine,
  },
  {
    name: 'endpoints.<area>.<name>',
    about:
      'METHOD /path of an operation whose own the reference does not show; METHOD {root}/path beside the /v3 of the base URL',
    value: () =>
      z
        .string()
        .regex(
          /^(GET|POST|PUT|PATCH|DELETE) (\{root\})?\/[^\s?#]*$/,
          'must be a method and a path, such as GET /reports/{id}, or GET {root}/healthz for a path beside the /v3 of the base URL',
        ),
  },
  {
    name: 'upload.encoding',
    about: 'how statements extract sends the PDF, which the reference does not show: multipart or raw',
    value: () => z.enum(['multipart', 'raw'], 'must be multipart or raw'),
  },
  {
    name: 'inbox.at',
    about:
      'Postgres that keeps the inbox for several machines, postgres://user@host/database; default: a file here',
    value: () =>
      z.string().check((context) => {
        const reason = postgresFault(context.value)
        if (reason !== undefined) context.issues.push({ code: 'custom', message: reason, input: '' })
      }),
  },
  {
    name: 'inbox.customer',
    about: 'name that tells the rows of this customer from those of others in the same Postgres',
    value: oneLine,
  },
  {
    name: 'inbox.keep',
    about: 'how long deliveries are kept, such as 30d',
    value: () => z.string().regex(/^[1-9]\d{0,5}(s|m|h|d|w)$/, 'must be a duration such as 30d, 12h or 45m'),
  },
  {
    name: 'inbox.max_size',
    about:
      'size that the file of the inbox may not exceed, such as 2gb: deliveries that do not fit are answered 503',
    value: () => z.string().regex(/^[1-9]\d{0,5}(mb|gb)$/, 'must be a size such as 500mb or 2gb'),
  },
  {
    name: 'sync.to',
    about: 'mirror of bankapi sync: a SQLite file or postgres://user@host/database',
    value: oneLine,
  },
  { name: 'pager', about: 'program that shows long output', value: oneLine },
  {
    name: 'output.max_rows',
    about: 'rows that --all reads for a table, JSON, YAML or jq, which hold them all in memory (100000)',
    value: () => z.string().regex(/^[1-9]\d{0,8}$/, 'must be a number of rows, such as 100000'),
  },
  { name: 'output.utc', about: 'show times in UTC', value: flag },
]

/** The key a dotted name belongs to; undefined when there is no such setting. */
export function findSettingKey(name: string, environments: Environments): SettingKey | undefined {
  const own = settingKeys.find((key) => pattern(key.name, environments).test(name))
  if (own !== undefined) return own
  const general = generalName(name, environments)
  return general === name ? undefined : findSettingKey(general, [])
}

/** The setting that `environments.<env>.<setting>` is for one environment; any other name as it is. */
export function generalName(name: string, environments: Environments): string {
  const environment = environments.find((one) => name.startsWith(`environments.${one.name}.`))
  const general = environment && name.slice(`environments.${environment.name}.`.length)
  return general === undefined || !isGeneral(general) ? name : general
}

/** Whether one environment may have a value of its own for a setting. */
export function isGeneral(name: string): boolean {
  return name !== 'default_environment' && !name.startsWith('environments.')
}

function pattern(name: string, environments: Environments): RegExp {
  const oneOf = (some: Environments) =>
    some.length === 0 ? '(?!)' : `(${some.map((one) => one.name).join('|')})`
  const source = name
    .replaceAll('.', '\\.')
    .replace('<env>', oneOf(environments))
    .replace('<profile>', oneOf(environments.filter((one) => !isBuiltIn(one.name))))
    .replace('<setting>', '(?!)')
    .replace('<area>', '[a-z][A-Za-z0-9_-]*')
    .replace('<name>', '[a-z][A-Za-z0-9_-]*')
  return new RegExp(`^${source}$`)
}

/**
 * Checks one setting and returns its value as it is stored (`'true'` becomes `true`).
 * Throws ConfigError `unknown_setting`, listing those there are, or `invalid_setting`. The value is never repeated;
 * `file` is named when the value was found in one.
 */
export function checkSetting(
  name: string,
  value: unknown,
  { environments, file }: { readonly environments: Environments; readonly file?: string },
): string | boolean {
  const checked = knownSetting(name, environments).value(environments).safeParse(value)
  if (checked.success) return checked.data
  const reason = checked.error.issues[0]?.message ?? 'is not valid'
  const where = file === undefined ? '' : ` in ${file}`
  throw new ConfigError(
    'invalid_setting',
    `The value of ${name}${where} ${reason}.`,
    `Set it: bankapi config set ${name} …`,
  )
}

/** The key a dotted name belongs to. Throws ConfigError `unknown_setting`, listing those there are. */
export function knownSetting(name: string, environments: Environments): SettingKey {
  const key = findSettingKey(name, environments)
  if (key !== undefined) return key
  const meant = closest(
    name,
    settingKeys.flatMap((known) => spelledOut(known.name, environments)),
  )
  throw new ConfigError(
    'unknown_setting',
    `There is no setting${quoted(name)}.${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    `Settings: ${settingKeys.map((known) => known.name).join(', ')}${
      name.startsWith('environments.') ? '\nAn environment of your own: bankapi config profile add' : ''
    }`,
  )
}

/** The names that a key stands for, as far as they can be listed. */
export function spelledOut(name: string, environments: Environments): string[] {
  if (name.includes('<setting>') || name.includes('<profile>')) return []
  return name.includes('<env>') ? environments.map((one) => name.replace('<env>', one.name)) : [name]
}

/** Repeats a mistyped name in the message, but not a pasted secret, a long text or terminal codes. */
export function quoted(name: string): string {
  return /^[A-Za-z0-9_.-]{1,80}$/.test(name) && !/sk_|whsec/i.test(name) ? ` "${name}"` : ' of that name'
}
