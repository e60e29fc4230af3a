/** The pages of `bankapi help <topic>`, in the form that layout.ts lays out. The build makes them; the program has only the pages. */
import { eventTypes } from '../../contract/events.ts'
import { exitCodes } from '../../errors.ts'
import { documentFormats, formats } from '../../output/document.ts'
import { listRow, verbatim } from './layout.ts'
import type { TopicName } from './topic-names.ts'

export interface HelpTopic {
  readonly name: TopicName
  readonly summary: string
  /** The whole text, its last line ended by a newline. */
  readonly text: string
}

/** Paragraphs, lists and examples, a blank line between them. */
function page(...blocks: readonly string[]): string {
  return `${blocks.map((block) => block.replace(/\n+$/, '')).join('\n\n')}\n`
}

/** Lines that stay as they are, such as commands. */
function example(...lines: readonly string[]): string {
  return lines.map(verbatim).join('\n')
}

/** Terms on the left, their meanings on the right. */
function definitions(rows: readonly (readonly [term: string, meaning: string])[]): string {
  return rows.map(([term, meaning]) => listRow(term, meaning)).join('\n')
}

interface EnvironmentVariable {
  readonly name: string
  readonly meaning: string
}

/** Every environment variable that changes what bankapi does; docs/environment.md lists them, too. */
export const environmentVariables: readonly EnvironmentVariable[] = [
  { name: 'BANKAPI_ENV', meaning: 'environment without --env: local, sandbox, live or a profile' },
  { name: 'BANKAPI_BASE_URL', meaning: 'address of the service without --base-url; ends in /v3' },
  { name: 'BANKAPI_API_KEY', meaning: 'the API key; goes before the keychain and the credentials file' },
  {
    name: 'BANKAPI_EMULATOR',
    meaning:
      'address of an emulator elsewhere that --env local means, such as http://emulator:4010; it brings its keys',
  },
  { name: 'BANKAPI_CLIENT_ID', meaning: 'Client (end-user) to act for without --client' },
  { name: 'BANKAPI_PORTAL_SECRET', meaning: 'the portal bootstrap secret' },
  { name: 'BANKAPI_WEBHOOK_SECRET', meaning: 'the signing secret of a webhook subscription' },
  { name: 'BANKAPI_CONFIG_DIR', meaning: 'folder of the settings and of the credentials file' },
  { name: 'BANKAPI_DATA_DIR', meaning: "folder of the inbox and of the emulator's data" },
  {
    name: 'BANKAPI_INBOX_AT',
    meaning: 'Postgres that keeps the inbox, postgres://user@host/database; before the setting inbox.at',
  },
  {
    name: 'BANKAPI_INBOX_CUSTOMER',
    meaning: 'whose rows of that inbox are meant; before the setting inbox.customer',
  },
  {
    name: 'PGPASSWORD, PGPASSFILE, PGSSLROOTCERT',
    meaning: 'password, file of passwords and certificate authority for Postgres, as psql reads them',
  },
  { name: 'BANKAPI_SYNC_TO', meaning: 'the mirror of bankapi sync without --to: a file, or postgres://…' },
  { name: 'BANKAPI_PAGER', meaning: 'pager for long text on a terminal, before PAGER; empty or cat: none' },
  { name: 'BANKAPI_DEBUG', meaning: 'set to log each request to stderr, as --debug does' },
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    meaning: 'the proxy to go through, and the hosts that need none',
  },
  { name: 'NPM_CONFIG_REGISTRY', meaning: 'the registry that `bankapi doctor --updates` asks' },
  { name: 'NODE_EXTRA_CA_CERTS', meaning: 'a file with certificate authorities to trust besides the usual' },
  {
    name: 'NODE_TLS_REJECT_UNAUTHORIZED',
    meaning: 'not heeded: a certificate of the service that does not verify is refused',
  },
  { name: 'NO_COLOR, FORCE_COLOR', meaning: 'colours never, or also into a pipe' },
  { name: 'COLUMNS', meaning: 'width of text where there is no terminal to ask' },
  { name: 'CI', meaning: 'when set, nothing is asked: what needs a confirmation needs --yes' },
  {
    name: 'XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    meaning: 'where the folders of bankapi are, unless BANKAPI_CONFIG_DIR and BANKAPI_DATA_DIR say it',
  },
]

const environmentTopic: HelpTopic = {
  name: 'environment',
  summary: 'Environments, where keys come from, environment variables',
  text: page(
    'ENVIRONMENTS',
    definitions([
      ['local', 'the emulator on this machine; while it runs, its address and key are known'],
      ['sandbox', 'test data, keys sk_test_…; the default'],
      ['live', 'real data, keys sk_live_…; what deletes or may bill asks first'],
      [
        'a profile',
        'your own, by `bankapi config profile add`: another customer, with the rules of sandbox or of live',
      ],
    ]),
    'The environment is --env, else BANKAPI_ENV, else the setting default_environment, else local when an emulator runs ' +
      'and nothing is configured (no address, key or profile of any environment), else sandbox. A key whose prefix ' +
      'does not fit it is refused before anything is sent.',
    'KEYS',
    'An API key is looked up in BANKAPI_API_KEY, then in the keychain of this computer, where `bankapi login` puts it. ' +
      'Without a keychain, `bankapi login --insecure-storage` keeps it in a file that only you can read. A secret is ' +
      'never an argument: it is typed, piped with --key-stdin, or in the environment.',
    'A stored key, or portal secret, is bound to the address that was in use when it was stored: for any other one, ' +
      'given with --base-url, in BANKAPI_BASE_URL or in the settings, the command is refused (exit code 2) before anything ' +
      'is sent. A key in BANKAPI_API_KEY goes where the command goes. environments of ' +
      'sandbox and of live never share an address.',
    example(
      'bankapi login --env sandbox --base-url https://api.example.com/v3',
      'printf %s "$KEY" | bankapi login --env live --key-stdin',
      'bankapi config profile add acme --mode sandbox --base-url https://api.example.com/v3',
      'bankapi whoami',
    ),
    'Each profile has a key, a portal secret, signing secrets, an inbox, a mirror and settings of its own. Any setting may be ' +
      'given for one environment alone: environments.acme.sync.to goes before sync.to.',
    'ENVIRONMENT VARIABLES',
    definitions(environmentVariables.map(({ name, meaning }) => [name, meaning])),
  ),
}

const exitCodesTopic: HelpTopic = {
  name: 'exit-codes',
  summary: 'What each exit code means',
  text: page(
    'Every command ends with one of these. An error is one message on stderr; with --json it is one JSON document, ' +
      '{"error":{…}}, which has the exit code as well.',
    definitions(Object.values(exitCodes).map(({ code, meaning }) => [String(code), meaning])),
    example(
      'bankapi connections refresh con_FDE_123 --wait --timeout 2m',
      'case $? in',
      '  0) echo fresh ;;',
      '  9) echo "the bank did not deliver" ;;',
      '  10) echo "still running" ;;',
      'esac',
    ),
  ),
}

const formattingTopic: HelpTopic = {
  name: 'formatting',
  summary: 'Tables, JSON, NDJSON, CSV, YAML, jq and columns',
  text: page(
    'Results go to stdout and nothing else does: progress, hints and errors go to stderr. People get a table or a ' +
      'record as wide as the terminal; a pipe gets the same values whole, separated by tabs, without headings.',
    definitions([
      ['--json', formats.json.prints],
      ...documentFormats
        .filter((format) => format !== 'json')
        .map((format): [string, string] => [`-o ${format}`, formats[format].prints]),
      ['--jq EXPR', 'filter the JSON with jq; strings are printed without quotes'],
      [
        '--columns a,b',
        'what to show in a table, a record, csv or ndjson; without a value: the names it takes',
      ],
      ['--utc', 'times in UTC for people; JSON has them as the API sent them'],
      ['--quiet, -q', 'no progress, hints or banners on stderr; warnings and errors stay'],
    ]),
    example(
      'bankapi transactions list acc_FDE_9 --columns',
      'bankapi transactions list acc_FDE_9 --columns date,amount,description',
      "bankapi accounts list --jq '.data[] | {id, name}'",
      'bankapi transactions list acc_FDE_9 -o csv > transactions.csv',
    ),
    'Money out is negative and money in is positive; an amount for people has its currency. A list shows one page ' +
      '(--limit, --cursor); --all, -o csv and -o ndjson read every page. One that was not read to its end says so on ' +
      'stderr, in every format. Each id is shown once. An empty list says so on stderr and exits 0.',
    'Lists of Connections, accounts, statements, transactions and checks cross Clients with --all-clients or several ' +
      '--client: each row then has client_id, client_external_id, connection_id, institution_name, account_id and ' +
      'account_name beside its own fields.',
    'A point in time (--from, --to, --since) is a date, which begins at midnight UTC, a timestamp with its offset, an ' +
      'age such as 90m or 7d, or one of the words now, today and yesterday, by the days of this machine.',
    'Control characters in what the service sends are shown as escapes, never sent to the terminal. Long text goes ' +
      'through a pager on a terminal: BANKAPI_PAGER, PAGER or less.',
  ),
}

const webhooksTopic: HelpTopic = {
  name: 'webhooks',
  summary: 'Receive, verify, forward and replay webhooks on this machine',
  text: page(
    'WEBHOOKS ON YOUR MACHINE',
    '`bankapi webhooks listen` receives deliveries, verifies the signature of each, records it, and forwards it to your ' +
      'server. With the emulator it subscribes itself and removes the subscription at the end:',
    example(
      '# terminal 1',
      'bankapi emulator start',
      '# terminal 2',
      'bankapi webhooks listen --env local --forward 3000/hooks',
      '# terminal 3',
      'bankapi connections refresh con_FDE_123 --env local',
    ),
    'Elsewhere the service has to reach the listener: give its public address with --public-url, or the subscription ' +
      'whose secret is stored here with --subscription, or the secret in BANKAPI_WEBHOOK_SECRET or with --secret-stdin.',
    'A signature is HMAC-SHA256 over X-LS-Webhook-Timestamp + "." + the raw body, with the signing secret; one older ' +
      'than five minutes is refused. While a secret is being rotated, either of two signatures counts. What does not ' +
      'verify is answered 401 and not forwarded. `bankapi webhooks verify` says why a signature does not match.',
    'Every delivery stays in the inbox of this machine, or in one that several share (setting inbox.at):',
    example(
      'bankapi webhooks events --failed',
      'bankapi webhooks show evt_123',
      'bankapi webhooks replay evt_123 --to 3000/hooks',
      'BANKAPI_WEBHOOK_SECRET=whsec_… bankapi webhooks trigger connection.active --to 3000/hooks',
      'bankapi webhooks expect connection.active --within 60s',
    ),
    'EVENT TYPES',
    example(...eventTypes),
  ),
}

/** Every help topic. */
export const helpTopics: readonly HelpTopic[] = [
  environmentTopic,
  exitCodesTopic,
  formattingTopic,
  webhooksTopic,
]

export function helpTopic(name: string | undefined): HelpTopic | undefined {
  return helpTopics.find((topic) => topic.name === name)
}
